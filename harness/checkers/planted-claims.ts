/** Planted histories of a gate that claims what is not so. */
import type { Outcome } from '../../gate/gate.ts';
import { type PlantedTrial, plantSound } from './plant.ts';
import {
  alter,
  alwaysSays,
  answers,
  claims,
  insertBefore,
  journalHolds,
  type Planting,
  says,
  without,
} from './plant-change.ts';
import { effect } from './plant-outcomes.ts';

const keyedNow = plantSound({ tier: 'keyed', kill: 'during_call:now' });
const keyedNever = plantSound({ tier: 'keyed', kill: 'during_call:never' });
const keyedEarly = plantSound({ tier: 'keyed', kill: 'before_wal' });
const keyedChanged = plantSound({
  tier: 'keyed',
  kill: 'during_call:now',
  caller: 'changed-amount',
});
const blindNow = plantSound({ tier: 'blind', kill: 'during_call:now' });
const blindNever = plantSound({ tier: 'blind', kill: 'during_call:never' });

const happened = claims({ claim: 'H', effects: 1 });
const absent = claims({ claim: 'A', effects: 0 });
const refused = claims({ claim: 'R', effects: 0 });
const surfaced = claims({ claim: 'U', effects: 1 });

function withoutReceipt(outcome: Outcome): Outcome {
  return { ...outcome, receipt: null };
}

export const plantedClaims: readonly Planting[] = [
  {
    finding: 'two-effects',
    title: 'a second refund after recovery, and the gate still waits for a person',
    trial: journalHolds(blindNow, ['O1', 'O2'], [effect('re_1'), effect('re_2')]),
  },
  {
    finding: 'two-effects',
    title: 'a second refund when the caller asks again',
    trial: journalHolds(keyedNow, ['O2'], [effect('re_1'), effect('re_2')]),
  },
  {
    finding: 'lost-effect',
    title: 'the caller asked again, is told "absent", and nothing was refunded',
    trial: journalHolds(answers(says(keyedEarly, 'O2', absent), absent), ['O2'], []),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'recovery is done and the gate says it is still working on it',
    trial: says(keyedNow, 'O1', (outcome) => ({
      ...surfaced(outcome),
      disposition: 'working',
    })),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'recovery is done and the gate calls an unknown settled',
    trial: says(blindNow, 'O2', (outcome) => ({ ...outcome, disposition: 'settled' })),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'the fresh process does not answer',
    trial: says(keyedNow, 'O2', () => null),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'the recovering process falls silent',
    trial: insertBefore(keyedNow, (event) => event.type === 'settled', [
      { type: 'subject-misbehaved', incarnation: 2, what: 'silent', detail: 'no answer' },
    ]),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'the recovering process falls silent and leaves its request open',
    trial: without(
      alter(
        alwaysSays(
          insertBefore(keyedNow, (event) => event.type === 'settled', [
            { type: 'subject-misbehaved', incarnation: 2, what: 'silent', detail: 'no answer' },
          ]),
          () => null,
        ),
        'settled',
        (event) => ({ ...event, complete: false, openOnWire: 1 }),
      ),
      'said',
      (event) => event.incarnation === 2 && event.message.type !== 'ready',
    ),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'after the kill the process never becomes ready again',
    trial: neverReadyAgain(keyedNow),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'the process never becomes ready again, and so nothing came to land late',
    trial: neverReadyAgain(plantSound({ tier: 'keyed', kill: 'during_call:later' })),
  },
  {
    finding: 'needless-ambiguity',
    title: 'surfaced to a person although the same key could be sent again',
    trial: says(keyedNever, 'O1', claims({ claim: 'U', effects: 1 })),
  },
  {
    finding: 'needless-refusal',
    title: 'the caller who asks the same again is refused',
    trial: answers(keyedEarly, refused),
  },
  {
    finding: 'needless-refusal',
    title: 'nothing was sent and recovery refuses for good',
    trial: journalHolds(answers(alwaysSays(keyedEarly, refused), refused), ['O2'], []),
    alongside: ['lost-effect'],
  },
  {
    finding: 'guessed',
    title: 'the reply never came, nothing can be asked, and the gate says happened',
    trial: alwaysSays(blindNow, happened),
  },
  {
    finding: 'guessed',
    title: 'the reply never came, nothing can be asked, and the gate says absent',
    trial: alwaysSays(blindNever, absent),
  },
  {
    finding: 'guessed',
    title: 'the service could have been asked, and the gate says absent without asking',
    trial: journalHolds(
      says(keyedNever, 'O1', (outcome) => withoutReceipt(absent(outcome))),
      ['O1'],
      [],
    ),
  },
  {
    finding: 'silent-loss',
    title: 'the refund is there and the gate says absent after recovery',
    trial: says(keyedNow, 'O1', (outcome) => withoutReceipt(absent(outcome))),
  },
  {
    finding: 'silent-loss',
    title: 'the refund is there and the gate has forgotten the intent',
    trial: says(blindNow, 'O1', (outcome) => ({ ...outcome, state: null, receipt: null })),
  },
  {
    finding: 'phantom',
    title: 'the gate says happened before the refund is there',
    trial: journalHolds(says(keyedNever, 'O1', withoutReceipt), ['O1'], []),
  },
  {
    finding: 'phantom',
    title: 'a caller is told happened, and nothing ever was',
    trial: answers(blindNever, (outcome) => withoutReceipt(happened(outcome))),
    alongside: ['settled-changed'],
  },
  {
    finding: 'wrong-entity',
    title: "the gate names somebody else's refund",
    trial: answers(
      alwaysSays(keyedNow, (outcome) => ({ ...withoutReceipt(outcome), entityId: 're_0' })),
      (outcome) => ({ ...withoutReceipt(outcome), entityId: null }),
    ),
  },
  {
    finding: 'wrong-substance',
    title: '30 were refunded where 20 were asked for first',
    trial: journalHolds(keyedNow, ['O1', 'O2'], [effect('re_1', 3000)]),
  },
  {
    finding: 'wrong-substance',
    title: 'a caller asks for 30 and is told happened: it was the 20 of before',
    trial: answers(keyedChanged, happened),
  },
  {
    finding: 'settled-changed',
    title: 'the gate forgets which refund it was',
    trial: says(keyedNow, 'O2', (outcome) => ({ ...withoutReceipt(outcome), entityId: null })),
  },
  {
    finding: 'settled-changed',
    title: 'the caller was told happened, and a fresh process knows nothing of it',
    trial: answers(blindNow, happened),
  },
  {
    finding: 'receipt-false',
    title: 'the receipt says not executed, the journal holds the refund',
    trial: says(keyedNow, 'O1', (outcome) => executed(outcome, 'no')),
  },
  {
    finding: 'receipt-false',
    title: 'the outcome is unknown and the receipt says executed',
    trial: says(blindNow, 'O2', (outcome) => executed(outcome, 'yes')),
  },
  {
    finding: 'receipt-false',
    title: 'the receipt names another entity than the outcome it comes with',
    trial: alter(keyedNow, 'observed', (event) =>
      event.outcome === null || event.outcome.receipt === null
        ? event
        : {
            ...event,
            outcome: { ...event.outcome, receipt: { ...event.outcome.receipt, entityId: 're_0' } },
          },
    ),
  },
];

function executed(outcome: Outcome, word: 'yes' | 'no'): Outcome {
  const { receipt } = outcome;
  if (receipt === null) return outcome;
  return { ...outcome, receipt: { ...receipt, facts: { ...receipt.facts, executed: word } } };
}

/** Everything up to the second process, and what a harness writes when it can't go on without it. */
function neverReadyAgain(trial: PlantedTrial): PlantedTrial {
  const secondStart = trial.events.findIndex(
    (event) => event.type === 'spawned' && event.incarnation === 2,
  );
  return {
    spec: trial.spec,
    events: [
      ...trial.events.slice(0, secondStart + 1),
      { type: 'subject-misbehaved', incarnation: 2, what: 'not-ready', detail: 'the bound passed' },
      { type: 'harness-error', code: 'subject-not-ready', message: 'nothing valid came' },
    ],
  };
}

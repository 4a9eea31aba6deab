/** Planted histories of callers who want more than the recorded decision, or nothing. */
import type { Outcome } from '../../gate/gate.ts';
import type { ObservedEvent } from '../model/history.ts';
import { type PlantedTrial, plantSound } from './plant.ts';
import {
  another,
  answers,
  answersTo,
  claims,
  insertBefore,
  journalHolds,
  type Planting,
  says,
  without,
  withoutCalls,
} from './plant-change.ts';
import { effect, secondEffect, secondOutcome } from './plant-outcomes.ts';
import { secondId } from './plant-parts.ts';
import { exchange, exchangeSecond } from './plant-wire.ts';

const keyedRacing = plantSound({ tier: 'keyed', kill: 'before_wal', caller: 'over-cap' });
const blindRacing = plantSound({ tier: 'blind', kill: 'before_wal', caller: 'over-cap' });
const thereRacing = plantSound({ tier: 'keyed', kill: 'during_call:now', caller: 'over-cap' });
const blindUnknownRacing = plantSound({
  tier: 'blind',
  kill: 'during_call:now',
  caller: 'over-cap',
});
const keyedSecond = plantSound({
  tier: 'keyed',
  kill: 'during_call:now',
  caller: 'second-legitimate',
});
const blindSecond = plantSound({
  tier: 'blind',
  kill: 'during_call:now',
  caller: 'second-legitimate',
});
const keyedInvented = plantSound({
  tier: 'keyed',
  kill: 'during_call:now',
  caller: 'invented-reason',
});
const blindGivenUp = plantSound({ tier: 'blind', kill: 'before_wal', caller: 'gives-up' });

const happened = claims({ claim: 'H', effects: 1 });
const refused = claims({ claim: 'R', effects: 0 });
const refusedSecond = () => secondOutcome({ claim: 'R', effects: 0 }, 0);

export const plantedCallers: readonly Planting[] = [
  {
    finding: 'over-cap',
    title: 'two that fit under the cap alone both went out',
    trial: secondToo(keyedRacing),
  },
  {
    finding: 'over-cap',
    title: 'a second went out under the cap that the first had used up',
    trial: secondToo(thereRacing),
  },
  {
    finding: 'over-cap',
    title: 'a second went out under the cap beside a first of which nobody knows',
    trial: secondToo(blindUnknownRacing),
  },
  {
    finding: 'lost-effect',
    title: 'of two that race under a cap for one, neither went out',
    trial: journalHolds(
      answers(
        says(withoutCalls(blindRacing, 2), 'O2', (outcome) => ({
          ...refused(outcome),
          attempts: 0,
        })),
        refused,
      ),
      ['O2'],
      [],
    ),
  },
  {
    finding: 'lost-effect',
    title: 'the second approved effect is taken for the first and told to have happened',
    alongside: ['phantom'],
    trial: secondSwallowed(() => ({
      ...secondOutcome({ claim: 'H', effects: 1 }, 0),
      entityId: 're_1',
      receipt: null,
    })),
  },
  {
    finding: 'needless-refusal',
    title: 'the second approved effect is refused as a repeat of the first',
    alongside: ['lost-effect'],
    trial: secondSwallowed(refusedSecond),
  },
  {
    finding: 'needless-refusal',
    title: 'the first is refused under the cap that it has itself used up',
    trial: answers(thereRacing, refused),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'the fresh process does not answer when asked for the second decision',
    trial: says(keyedSecond, 'second', () => null),
  },
  {
    finding: 'guessed',
    title: 'the answer to the second decision is taken for one to the first',
    trial: says(blindSecond, 'O2', happened),
  },
  {
    finding: 'two-effects',
    title: 'a second effect was performed for a reason that no lease covers',
    alongside: ['wrong-substance'],
    trial: inventedPerformed(),
  },
  {
    finding: 'sent-uninvited',
    title: 'nobody asks again, and it goes out all the same',
    trial: sentForNobody(),
  },
  {
    finding: 'evidence-cut',
    title: 'the gate was not asked about the second decision',
    trial: without(keyedSecond, 'observed', (event) => event.observation === 'second'),
  },
];

/** The second of two goes out and happens as well. */
function secondToo(trial: PlantedTrial): PlantedTrial {
  const { dedupe } = trial.spec.declaration;
  const sent = insertBefore(
    trial,
    answersSecond,
    exchangeSecond(another(trial, dedupe !== null), 3),
  );
  const told = () => secondOutcome({ claim: 'H', effects: 1 }, 1);
  return journalHolds(
    answersTo(says(sent, 'second', told), (id) => id === secondId, told),
    ['O2'],
    [effect('re_1'), secondEffect],
  );
}

/** Nothing of the second was sent. */
function secondSwallowed(told: () => Outcome): PlantedTrial {
  const submitted = keyedSecond.events.findIndex(
    (event) => event.type === 'sent' && event.decision === 'second',
  );
  const trial: PlantedTrial = {
    spec: keyedSecond.spec,
    events: [
      ...keyedSecond.events.slice(0, submitted),
      ...withoutCalls({ ...keyedSecond, events: keyedSecond.events.slice(submitted) }, 2).events,
    ],
  };
  return journalHolds(
    answersTo(says(trial, 'second', told), (id) => id === secondId, told),
    ['O2'],
    [effect('re_1')],
  );
}

/** Nobody is asked, and what a model made up goes out under a key of its own. */
function inventedPerformed(): PlantedTrial {
  const unresolved = without(
    without(keyedInvented, 'sent', (event) => event.message.type === 'resolve'),
    'said',
    (event) => event.message.type === 'outcome' && event.message.re === 11,
  );
  const sent = insertBefore(
    unresolved,
    (event) => event.type === 'said' && event.message.type === 'outcome' && event.message.re === 10,
    exchangeSecond(another(unresolved, true), 2),
  );
  const told = () => secondOutcome({ claim: 'H', effects: 1 }, 1);
  return journalHolds(
    answersTo(sent, (id) => id === 10, told),
    ['O2'],
    [effect('re_1'), secondEffect],
  );
}

function sentForNobody(): PlantedTrial {
  const sent = insertBefore(
    blindGivenUp,
    (event) => event.type === 'exited' && event.incarnation === 2,
    exchange(another(blindGivenUp, false), 2, 'none'),
  );
  const told = (outcome: Outcome) => ({ ...happened(outcome), attempts: 1 });
  return journalHolds(says(sent, 'O2', told), ['O2'], [effect('re_1')]);
}

function answersSecond(event: ObservedEvent): boolean {
  return event.type === 'said' && event.message.type === 'outcome' && event.message.re === secondId;
}

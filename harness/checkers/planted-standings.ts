/** Planted histories of trials in which one process stands still and another comes beside it. */
import type { ObservedEvent } from '../model/history.ts';
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
import { exchange, openWiring } from './plant-wire.ts';

const pausedRecorded = plantSound({ tier: 'blind', kill: 'after_wal_before_call', paused: true });
const pausedKeyed = plantSound({ tier: 'keyed', kill: 'after_wal_before_call', paused: true });
const pausedCalled = plantSound({ tier: 'blind', kill: 'after_call_before_commit', paused: true });
const metByRival = plantSound({ tier: 'keyed', kill: 'during_call:now', rivalAt: 'owned' });

/** Who comes second takes the living for dead: it looks, finds nothing, and performs it for its caller. */
const bothSend = journalHolds(
  answers(
    alwaysSays(
      insertBefore(pausedRecorded, answersCaller, sends(pausedRecorded, 2)),
      (outcome) => ({ ...outcome, attempts: 2 }),
    ),
    claims({ claim: 'H', effects: 1 }),
  ),
  ['O2'],
  [effect('re_1'), effect('re_2')],
);

const promisesBroken: readonly Planting[] = [
  {
    finding: 'two-effects',
    title: 'a second sends while the first is only paused, and the first goes on',
    alongside: ['sent-uninvited'],
    trial: bothSend,
  },
  {
    finding: 'sent-uninvited',
    title: 'a second sends under the same key while the first is only paused',
    trial: insertBefore(
      alwaysSays(pausedKeyed, (outcome) => ({ ...outcome, attempts: 2 })),
      (event) => event.type === 'said' && event.message.type === 'done',
      sends(pausedKeyed, 2),
    ),
  },
  {
    finding: 'sent-uninvited',
    title: 'a second recovery sends while the first stands at its point and owns the work',
    trial: insertBefore(
      alwaysSays(metByRival, (outcome) => ({ ...outcome, attempts: 3 })),
      (event) => event.type === 'said' && event.incarnation === 3 && event.message.type === 'done',
      sends(metByRival, 3),
    ),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'the paused process has gone on and ended, and the gate still says somebody is at work',
    alongside: ['settled-changed'],
    trial: says(pausedRecorded, 'O2', claims({ claim: 'W', effects: 1 })),
  },
  {
    finding: 'unknown-after-recovery',
    title: 'the paused process goes on and dies without an answer to its caller',
    trial: alter(
      insertBefore(pausedRecorded, endsFirst, [
        { type: 'subject-misbehaved', incarnation: 1, what: 'died', detail: 'exit code 1' },
      ]),
      'said',
      (event) => (event.incarnation === 1 && event.message.type === 'outcome' ? null : event),
    ),
  },
  {
    finding: 'needless-ambiguity',
    title: 'surfaced to a person while the one who knows is only paused',
    trial: says(pausedCalled, 'O1', claims({ claim: 'U', effects: 1 })),
  },
];

const pauseMisses: readonly Planting[] = [
  miss('the process was never stopped at its point', without(pausedRecorded, 'paused')),
  miss('the process was never let go on', without(pausedRecorded, 'resumed')),
  miss('the process that was to be paused never came to its point', withoutPoint(pausedRecorded)),
  miss(
    'the process that was paused never said where it is',
    without(pausedRecorded, 'said', (event) => event.message.type === 'at'),
  ),
  miss(
    'another process than the one that works was stopped',
    alter(pausedRecorded, 'paused', (event) => ({ ...event, pid: event.pid + 1 })),
  ),
  miss(
    'another process was let go on than the one that was stopped',
    alter(pausedRecorded, 'resumed', (event) => ({ ...event, pid: event.pid + 1 })),
  ),
  miss(
    'the paused process ended while it was stopped',
    insertBefore(
      without(pausedRecorded, 'exited', (event) => event.incarnation === 1),
      (event) => event.type === 'resumed',
      pausedRecorded.events.filter(endsFirst),
    ),
  ),
  miss(
    'nobody was told to recover before the paused process went on',
    insertBefore(
      without(pausedRecorded, 'resumed'),
      (event) => event.type === 'phase' && event.phase === 'recovery',
      pausedRecorded.events.filter((event) => event.type === 'resumed'),
    ),
  ),
  miss(
    'a process that was to be paused before its call had called',
    insertBefore(pausedRecorded, (event) => event.type === 'paused', [
      { type: 'connection', incarnation: 1, connection: 7, what: 'opened' },
      { type: 'request-began', incarnation: 1, connection: 7, request: 7 },
    ]),
  ),
  miss(
    'a process that was to be paused after its call had not called',
    without(
      without(pausedCalled, 'request-whole', (event) => event.incarnation === 1),
      'request-began',
      (event) => event.incarnation === 1,
    ),
  ),
  miss(
    'a kill was armed where the process was only to be paused',
    insertBefore(pausedRecorded, (event) => event.type === 'paused', [
      {
        type: 'kill-armed',
        incarnation: 1,
        point: 'after_wal_before_call',
        intent: 'request-1',
        attempt: 1,
        occurrence: 1,
      },
    ]),
  ),
];

const rivalMisses: readonly Planting[] = [
  cut('no recovery stood still for a second to meet it', withoutPoint(metByRival, 2)),
  cut('the recovery that stood still was never let go on', without(metByRival, 'sent', isGo)),
  cut(
    'the second recovery was done only after the first had gone on',
    insertBefore(
      without(metByRival, 'said', isRivalsDone),
      (event) => event.type === 'request-began' && event.incarnation === 2,
      metByRival.events.filter((event) => event.type === 'said' && isRivalsDone(event)),
    ),
  ),
  cut(
    'no second recovery came',
    without(
      without(metByRival, 'said', (event) => event.incarnation === 3),
      'sent',
      (event) => event.incarnation === 3,
    ),
  ),
  cut(
    'the first recovery was never done',
    without(
      metByRival,
      'said',
      (event) => event.incarnation === 2 && event.message.type === 'done',
    ),
  ),
];

export const plantedStandings: readonly Planting[] = [
  ...promisesBroken,
  ...pauseMisses,
  ...rivalMisses,
];

function miss(title: string, trial: PlantedTrial): Planting {
  return { finding: 'kill-missed', title, trial };
}

function cut(title: string, trial: PlantedTrial): Planting {
  return { finding: 'evidence-cut', title, trial };
}

function sends(trial: PlantedTrial, incarnation: number): readonly ObservedEvent[] {
  const wiring = openWiring(trial.spec.declaration.dedupe !== null);
  // Numbers that no request of the sound history has.
  wiring.requests = 20;
  return exchange(wiring, incarnation, 'none');
}

function withoutPoint(trial: PlantedTrial, incarnation = 1): PlantedTrial {
  return without(trial, 'point-reached', (event) => event.incarnation === incarnation);
}

function answersCaller(event: ObservedEvent): boolean {
  return event.type === 'said' && event.message.type === 'outcome' && event.message.re === 10;
}

function endsFirst(event: ObservedEvent): boolean {
  return event.type === 'exited' && event.incarnation === 1;
}

function isGo(event: Extract<ObservedEvent, { type: 'sent' }>): boolean {
  return event.message.type === 'go';
}

function isRivalsDone(event: Extract<ObservedEvent, { type: 'said' }>): boolean {
  return event.incarnation === 3 && event.message.type === 'done';
}

/** Planted histories of trials whose kill is not proven, however sound the gate looks in them. */
import type { ObservedEvent } from '../model/history.ts';
import { type PlantedTrial, plantSound } from './plant.ts';
import { alter, insertBefore, type Planting, without } from './plant-change.ts';
import type { EventOf } from './seen.ts';

const keyedEarly = plantSound({ tier: 'keyed', kill: 'before_wal' });
const keyedRecorded = plantSound({ tier: 'keyed', kill: 'after_wal_before_call' });
const keyedNow = plantSound({ tier: 'keyed', kill: 'during_call:now' });
const keyedLater = plantSound({ tier: 'keyed', kill: 'during_call:later' });
const keyedNever = plantSound({ tier: 'keyed', kill: 'during_call:never' });
const keyedCalled = plantSound({ tier: 'keyed', kill: 'after_call_before_commit' });
const keyedSettled = plantSound({ tier: 'keyed', kill: 'after_commit_before_ack' });

const keyedRunning = plantSound({ tier: 'keyed', kill: 'during_call:running' });

const keyedOwned = plantSound({
  tier: 'keyed',
  kill: 'after_wal_before_call',
  recoveryKills: ['owned'],
});

export const plantedKillMisses: readonly Planting[] = [
  miss('no kill was armed', without(keyedNow, 'kill-armed')),
  miss('the point was never reached', without(keyedNow, 'point-reached')),
  miss('no SIGKILL was sent', without(keyedNow, 'kill-sent')),
  miss(
    'another process than the one that works was killed',
    alter(keyedNow, 'said', (event) =>
      event.message.type === 'ready'
        ? { ...event, message: { ...event.message, pid: event.message.pid + 1 } }
        : event,
    ),
  ),
  miss(
    'the process ended by itself',
    alter(keyedNow, 'exited', (event) =>
      event.incarnation === 1 ? { ...event, code: 0, signal: null } : event,
    ),
  ),
  miss(
    'a child of the process lives on',
    alter(keyedNow, 'survivors', (event) => ({ ...event, pids: [999] })),
  ),
  miss('nobody looked for survivors', without(keyedNow, 'survivors')),
  miss(
    'the kill hit another point than the cell names',
    alter(
      announcing(
        alter(keyedEarly, 'kill-armed', (event) => ({ ...event, point: 'after_wal_before_call' })),
        { point: 'after_wal_before_call' },
      ),
      'point-reached',
      (event) => ({ ...event, point: 'after_wal_before_call' }),
    ),
  ),
  miss('the process never said where it is', unannounced(keyedRecorded)),
  miss(
    'the process said it is at another point than the armed one',
    announcing(keyedRecorded, { point: 'after_call_before_commit' }),
  ),
  miss(
    'the process said it is at the point for the second time',
    announcing(keyedRecorded, { occurrence: 2 }),
  ),
  miss(
    'the process said it is at the point of a second attempt',
    announcing(keyedRecorded, { attempt: 2 }),
  ),
  miss(
    'the process said where it is only after the point counted as reached',
    insertBefore(
      unannounced(keyedRecorded),
      (event) => event.type === 'kill-sent',
      announcementsIn(keyedRecorded),
    ),
  ),
  miss('recovery never said where it is', unannounced(keyedOwned, 5)),
  miss(
    'recovery said it is at another point than the armed one',
    announcing(keyedOwned, { point: 'recovery:before-settle' }, 5),
  ),
  miss(
    'a byte was on the wire before the attempt was durable',
    insertBefore(keyedEarly, isReached, [{ type: 'opaque-bytes', incarnation: 1, connection: 1 }]),
  ),
  miss(
    'the call had begun before the point "nothing had been sent"',
    insertBefore(keyedRecorded, isReached, [
      { type: 'connection', incarnation: 1, connection: 7, what: 'opened' },
      { type: 'request-began', incarnation: 1, connection: 7, request: 7 },
    ]),
  ),
  miss(
    'the request had not taken effect when the process died',
    without(keyedNow, 'replied', (event) => event.incarnation === 1),
  ),
  miss(
    'the reply reached the process before it died',
    insertBefore(keyedNow, isReached, [
      { type: 'delivered', incarnation: 1, request: 1, status: 200, byWire: false },
    ]),
  ),
  miss(
    'the held request took effect before its sender was dead',
    insertBefore(keyedLater, isReached, [{ type: 'forwarded', incarnation: 1, request: 1 }]),
  ),
  miss(
    'the lost request took effect after all',
    insertBefore(keyedNever, isReached, [{ type: 'forwarded', incarnation: 1, request: 1 }]),
  ),
  miss('the service never stood still over the request', without(keyedRunning, 'work-held')),
  miss('the service never went on with the request', without(keyedRunning, 'work-released')),
  miss(
    'the service stood still over the request only after its sender had been killed',
    insertBefore(
      without(keyedRunning, 'work-held'),
      (event) => event.type === 'exited',
      keyedRunning.events.filter((event) => event.type === 'work-held'),
    ),
  ),
  miss(
    'the service went on with the request before its sender was dead',
    insertBefore(
      without(keyedRunning, 'work-released'),
      (event) => event.type === 'exited',
      keyedRunning.events.filter((event) => event.type === 'work-released'),
    ),
  ),
  miss(
    'the service had answered the request before its sender was dead',
    insertBefore(
      without(keyedRunning, 'replied', (event) => event.incarnation === 1),
      isReached,
      keyedRunning.events.filter((event) => event.type === 'replied' && event.incarnation === 1),
    ),
  ),
  miss(
    'the service was never given the request it was to stand still over',
    without(keyedRunning, 'forwarded', (event) => event.incarnation === 1),
  ),
  miss(
    'no call had been made when the process died after it',
    without(
      without(keyedCalled, 'request-whole', (event) => event.incarnation === 1),
      'request-began',
      (event) => event.incarnation === 1,
    ),
  ),
  miss(
    'no call had been made when the process died after its last word',
    without(
      without(keyedSettled, 'request-whole', (event) => event.incarnation === 1),
      'request-began',
      (event) => event.incarnation === 1,
    ),
  ),
  miss(
    'the caller had been told before the process died',
    insertBefore(keyedSettled, isReached, saidBeforeKill(keyedSettled)),
  ),
];

function miss(title: string, trial: PlantedTrial): Planting {
  return { finding: 'kill-missed', title, trial };
}

type Announced = Extract<EventOf<'said'>['message'], { type: 'at' }>;

/** Changes what the process says of where it is. */
function announcing(
  trial: PlantedTrial,
  changes: Partial<Announced>,
  incarnation = 1,
): PlantedTrial {
  return alter(trial, 'said', (event) =>
    event.message.type === 'at' && event.incarnation === incarnation
      ? { ...event, message: { ...event.message, ...changes } }
      : event,
  );
}

function unannounced(trial: PlantedTrial, incarnation = 1): PlantedTrial {
  return without(
    trial,
    'said',
    (event) => event.message.type === 'at' && event.incarnation === incarnation,
  );
}

function announcementsIn(trial: PlantedTrial): readonly ObservedEvent[] {
  return trial.events.filter((event) => event.type === 'said' && event.message.type === 'at');
}

function saidBeforeKill(trial: PlantedTrial): readonly ObservedEvent[] {
  return trial.events
    .filter((event) => event.type === 'observed' && event.observation === 'O1')
    .flatMap((event): ObservedEvent[] =>
      event.type === 'observed' && event.outcome !== null
        ? [
            {
              type: 'said',
              incarnation: 1,
              message: { type: 'outcome', re: 1, ...event.outcome },
            },
          ]
        : [],
    );
}

function isReached(event: ObservedEvent): boolean {
  return event.type === 'point-reached';
}

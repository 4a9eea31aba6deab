/** Planted histories of trials that prove nothing, however sound the gate looks in them. */
import type { FaultName, Phase } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';
import { type PlantedTrial, plantSound } from './plant.ts';
import { alter, insertBefore, type Planting, without } from './plant-change.ts';

const keyedEarly = plantSound({ tier: 'keyed', kill: 'before_wal' });
const keyedRecorded = plantSound({ tier: 'keyed', kill: 'after_wal_before_call' });
const keyedNow = plantSound({ tier: 'keyed', kill: 'during_call:now' });
const keyedLater = plantSound({ tier: 'keyed', kill: 'during_call:later' });
const keyedNever = plantSound({ tier: 'keyed', kill: 'during_call:never' });
const keyedCalled = plantSound({ tier: 'keyed', kill: 'after_call_before_commit' });
const keyedSettled = plantSound({ tier: 'keyed', kill: 'after_commit_before_ack' });

const killMisses: readonly Planting[] = [
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
      alter(keyedEarly, 'kill-armed', (event) => ({ ...event, point: 'after_wal_before_call' })),
      'point-reached',
      (event) => ({ ...event, point: 'after_wal_before_call' }),
    ),
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
  miss(
    'no call had been made when the process died after it',
    without(
      without(keyedCalled, 'request-whole', (event) => event.incarnation === 1),
      'request-began',
      (event) => event.incarnation === 1,
    ),
  ),
  miss(
    'the caller had been told before the process died',
    insertBefore(keyedSettled, isReached, saidBeforeKill(keyedSettled)),
  ),
];

const faultMisses: readonly Planting[] = [
  {
    finding: 'fault-missed',
    title: 'the fault never fired',
    trial: without(faulty('reply-lost', 'first-send'), 'fault-fired'),
  },
  {
    finding: 'fault-missed',
    title: 'a fault fired where none was armed',
    trial: insertBefore(keyedNow, isReached, [
      { type: 'fault-fired', incarnation: 1, fault: 'reply-lost', request: 1 },
    ]),
  },
  {
    finding: 'fault-missed',
    title: 'another fault fired than the one that was armed',
    trial: alter(faulty('request-lost', 'first-send'), 'fault-fired', (event) => ({
      ...event,
      fault: 'reply-lost',
    })),
  },
  {
    finding: 'fault-missed',
    title: 'the fault met the first send instead of the resend',
    trial: movedToFirstSend(),
  },
  {
    finding: 'fault-missed',
    title: 'the fault met recovery before any caller had asked',
    trial: insertBefore(
      without(faulty('request-lost', 'caller'), 'fault-fired'),
      (event) => event.type === 'said' && event.message.type === 'done',
      [{ type: 'fault-fired', incarnation: 2, fault: 'request-lost', request: 1 }],
    ),
  },
  {
    finding: 'fault-missed',
    title: 'the lost request was handed to the service',
    trial: insertBefore(faulty('request-lost', 'first-send'), isReached, [
      { type: 'forwarded', incarnation: 1, request: 1 },
    ]),
  },
  {
    finding: 'fault-missed',
    title: 'the lost reply was handed on',
    trial: insertBefore(faulty('reply-lost', 'first-send'), isReached, [
      { type: 'delivered', incarnation: 1, request: 1, status: 200, byWire: false },
    ]),
  },
  {
    finding: 'fault-missed',
    title: "the 503 was the service's own",
    trial: ownAnswer(faulty('error-before-apply', 'first-send')),
  },
  {
    finding: 'fault-missed',
    title: "the 504 was the service's own",
    trial: ownAnswer(faulty('error-after-apply', 'first-send')),
  },
  {
    finding: 'fault-missed',
    title: 'the late request never took effect',
    trial: without(
      faulty('late-apply', 'first-send'),
      'replied',
      (event) => event.incarnation === 1,
    ),
  },
  {
    finding: 'fault-missed',
    title: 'the partition refused no connection',
    trial: without(
      faulty('partition', 'resend'),
      'connection',
      (event) => event.what === 'refused',
    ),
  },
  {
    finding: 'fault-missed',
    title: 'the partition never healed',
    trial: alter(faulty('partition', 'first-send'), 'connection', (event) =>
      event.what === 'opened' ? { ...event, what: 'refused' } : event,
    ),
  },
];

const otherMisses: readonly Planting[] = [
  {
    finding: 'control-missed',
    title: "the harness's own effect is not in the journal",
    trial: alter(keyedNow, 'control', (event) => ({ ...event, readBack: false })),
  },
  {
    finding: 'control-missed',
    title: 'the harness made no effect of its own',
    trial: without(keyedNow, 'control'),
  },
  cut('the footer is missing', keyedNow, false),
  cut(
    'nobody waited for wire and rail before O1',
    without(keyedNow, 'settled', (event) => event.observation === 'O1'),
  ),
  cut(
    'a request was still open at O2',
    alter(keyedNow, 'settled', (event) =>
      event.observation === 'O2' ? { ...event, complete: false, openOnWire: 1 } : event,
    ),
  ),
  cut(
    'the journal was not read at O2',
    without(keyedNow, 'journal', (event) => event.observation === 'O2'),
  ),
  cut(
    'the gate was not asked at O1',
    without(keyedNow, 'observed', (event) => event.observation === 'O1'),
  ),
  cut(
    "the dead process's connections were not drained",
    alter(keyedNow, 'drained', (event) => ({ ...event, complete: false })),
  ),
  cut(
    'the harness could not go on',
    insertBefore(keyedNow, (event) => event.type === 'settled', [
      { type: 'harness-error', code: 'settle-timeout', message: 'planted' },
    ]),
  ),
];

export const plantedMisses: readonly Planting[] = [...killMisses, ...faultMisses, ...otherMisses];

function miss(title: string, trial: PlantedTrial): Planting {
  return { finding: 'kill-missed', title, trial };
}

function cut(title: string, trial: PlantedTrial, complete?: false): Planting {
  return { finding: 'evidence-cut', title, trial, ...(complete === false ? { complete } : {}) };
}

/** A sound history of a keyed target in which the fault fires in that phase. */
function faulty(fault: Exclude<FaultName, 'none'>, phase: Phase): PlantedTrial {
  const kill = phase === 'caller' ? 'before_wal' : 'after_call_before_commit';
  return plantSound({ tier: 'keyed', kill, fault: { fault, phase } });
}

/** The events of a fault at the first send under the spec of one at the resend. */
function movedToFirstSend(): PlantedTrial {
  const { spec } = faulty('reply-lost', 'resend');
  return { spec, events: faulty('reply-lost', 'first-send').events };
}

function ownAnswer(trial: PlantedTrial): PlantedTrial {
  return alter(trial, 'delivered', (event) => ({ ...event, byWire: false }));
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

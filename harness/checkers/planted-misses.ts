/** Planted histories of trials that prove nothing, however sound the gate looks in them. */
import type { FaultName, Phase } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';
import { type PlantedTrial, plantSound } from './plant.ts';
import { alter, insertBefore, type Planting, without } from './plant-change.ts';
import { plantedKillMisses } from './planted-kills.ts';

const keyedNow = plantSound({ tier: 'keyed', kill: 'during_call:now' });

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

export const plantedMisses: readonly Planting[] = [
  ...plantedKillMisses,
  ...faultMisses,
  ...otherMisses,
];

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

function isReached(event: ObservedEvent): boolean {
  return event.type === 'point-reached';
}

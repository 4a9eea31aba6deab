/**
 * Builds sound histories: what a gate that keeps every promise leaves behind, in any reachable cell
 * of a keyed or a blind target. The checkers are tried on these and on minimal changes of them, so
 * that a checker that has gone blind is noticed. It never runs in a trial.
 */
import type { FaultName } from '../model/cell.ts';
import { type Ending, expectScenario } from '../model/expectation.ts';
import { type History, historyFormat, type ObservedEvent, witnessOf } from '../model/history.ts';
import type { KillPoint, RecoveryPoint } from '../model/kill-points.ts';
import type { TrialSpec } from '../model/trial.ts';
import { callerBehaves, callerSends, sendsUntilKnown } from './plant-callers.ts';
import {
  answer,
  exit,
  goOn,
  killAt,
  killedFrom,
  observe,
  observer,
  recover,
  rival,
  standAt,
  start,
  stormCallers,
  stormEnds,
  submit,
} from './plant-parts.ts';
import { type Plot, plantedRequest, type Story, specOf, type Tier } from './plant-plot.ts';
import {
  conflict,
  exchange,
  heldInService,
  lateLanding,
  openWiring,
  readPremises,
  type Wiring,
} from './plant-wire.ts';
import {
  effectsByOthers,
  maySendAfter,
  outage,
  reliesOnPremises,
  withPremises,
} from './plant-world.ts';

export interface PlantedTrial {
  readonly spec: TrialSpec;
  readonly events: readonly ObservedEvent[];
}

/** Numbers the events and names their witnesses, as a recorder would. */
export function toHistory({ spec, events }: PlantedTrial): History {
  return {
    spec,
    events: events.map((event, index) => ({
      n: index + 1,
      atMs: index,
      witness: witnessOf[event.type],
      event,
    })),
    complete: true,
    gap: null,
  };
}

/** The file a recorder would have written. */
export function toLines(history: History): string {
  const lines: readonly unknown[] = [
    { header: { format: historyFormat, spec: history.spec } },
    ...history.events,
    { footer: { events: history.events.length } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Throws when the plot's cell can't exist. */
export function plantSound(plot: Plot): PlantedTrial {
  const spec = specOf(plot);
  const expectation = expectScenario(spec.declaration, spec.cell);
  if (expectation.kind === 'cannot-meet') throw new Error(`${spec.id}: ${expectation.why}`);
  const settledEarly = plot.overlaps === true;
  const o2 = pick(expectation.o2, plot.secondWins === true);
  const o1 = settledEarly ? o2 : pick(expectation.o1);
  const second =
    expectation.second.length === 0 ? null : pick(expectation.second, plot.secondWins === true);
  const wiring = openWiring(plot.tier === 'keyed', reliesOnPremises(spec));
  return { spec, events: withPremises(spec, tell({ plot, spec, o1, o2, second, wiring })) };
}

/** Keyed and blind targets leave nothing to chance: only of two that race either may win. */
function pick(endings: readonly Ending[], other = false): Ending {
  const ending = endings[other ? 1 : 0];
  if (ending === undefined) throw new Error('expected an ending, the table allows none');
  return ending;
}

/** The whole trial in order, as the harness would see it. */
function tell(story: Story): readonly ObservedEvent[] {
  const overlaps = story.plot.overlaps === true;
  const { paused, rivalAt } = story.spec.cell;
  return [
    ...firstIncarnation(story),
    ...outage(story.spec),
    ...(overlaps ? recoveryWithStorm(story) : recovery(story)),
    ...observeFrom(2, 'O1', story),
    ...(rivalAt === undefined ? [] : [exit(rival)]),
    ...(overlaps ? [] : callerBehaves(story)),
    ...(paused === true ? [...firstGoesOn(story), exit(1)] : []),
    exit(2),
    ...start(observer, 'observer'),
    ...recover(observer, 90),
    ...observeFrom(observer, 'O2', story),
    { type: 'phase', phase: 'collect' },
    exit(observer),
  ];
}

function observeFrom(
  incarnation: number,
  observation: 'O1' | 'O2',
  { spec, o1, o2, second, wiring }: Story,
): readonly ObservedEvent[] {
  const isLast = observation === 'O2';
  return observe({
    observation,
    incarnation,
    ending: isLast ? o2 : o1,
    attempts: wiring.attempts,
    second: isLast && second !== null ? { ending: second, attempts: wiring.secondAttempts } : null,
    byOthers: effectsByOthers(spec),
  });
}

function firstIncarnation({ plot, spec, wiring }: Story): readonly ObservedEvent[] {
  const { kill, fault, paused } = spec.cell;
  const armed: ObservedEvent = {
    type: 'kill-armed',
    incarnation: 1,
    point: kill,
    intent: 'request-1',
    attempt: kill === 'before_wal' ? 0 : 1,
    occurrence: 1,
  };
  const firstFault = fault.fault !== 'none' && fault.phase === 'first-send' ? fault.fault : 'none';
  return [
    { type: 'phase', phase: 'prepare' },
    { type: 'control', entityId: 're_0', readBack: true, detail: 'made and read back' },
    { type: 'phase', phase: 'first' },
    ...start(1, 'first'),
    ...(paused === true ? [] : [armed]),
    submit(1, 1, plantedRequest),
    ...firstSends(kill, firstFault, wiring, plot.tier),
    ...(paused === true
      ? [...standAt(kill, 1, wiring.attempts), pausedFirst]
      : killAt(kill, 1, wiring.attempts)),
  ];
}

const pausedFirst: ObservedEvent = { type: 'paused', incarnation: 1, pid: 101 };

/** It sends what it had not sent, and answers its own caller. */
function firstGoesOn({ spec, wiring, o2 }: Story): readonly ObservedEvent[] {
  const { kill } = spec.cell;
  const sent = kill === 'after_call_before_commit' || kill === 'after_commit_before_ack';
  // The attempt that stood recorded is the one that goes out.
  if (kill === 'after_wal_before_call') wiring.attempts -= 1;
  const sends = sent ? [] : exchange(wiring, 1, 'none');
  return [...goOn(1, true), ...sends, answer(1, 1, o2, wiring.attempts)];
}

function firstSends(
  kill: KillPoint,
  fault: FaultName,
  wiring: Wiring,
  tier: Tier,
): readonly ObservedEvent[] {
  switch (kill) {
    case 'before_wal':
      return readPremises(wiring, 1);
    case 'after_wal_before_call':
      wiring.attempts += 1;
      return readPremises(wiring, 1);
    case 'during_call:now':
      return undelivered(wiring, exchange(wiring, 1, 'none'));
    case 'during_call:running':
      return heldInService(wiring, 1);
    case 'during_call:later':
      return exchange(wiring, 1, 'late-apply').filter((event) => event.type !== 'fault-fired');
    case 'during_call:never':
      return exchange(wiring, 1, 'request-lost').filter((event) => event.type !== 'fault-fired');
    case 'after_call_before_commit':
      return exchange(wiring, 1, fault);
    case 'after_commit_before_ack':
      return sendsUntilKnown(wiring, { incarnation: 1, fault, tier });
    default:
      throw new Error(`no plot tells how a trial is killed at ${kill}`);
  }
}

/** The last request's answer never came back. */
function undelivered(wiring: Wiring, events: readonly ObservedEvent[]): readonly ObservedEvent[] {
  return events.filter((event) => event.type !== 'delivered' || event.request !== wiring.requests);
}

function recovery({ plot, spec, wiring }: Story): readonly ObservedEvent[] {
  return [
    { type: 'phase', phase: 'recovery' },
    ...spec.cell.recoveryKills.flatMap((point, index) =>
      killedRecovery(point, killedFrom + index, wiring.attempts),
    ),
    ...start(2, 'recovery'),
    ...recover(2, 2, [...metByRival(spec, wiring), ...resends(spec, wiring, plot.tier)]),
    ...lateLanding(wiring),
  ];
}

/** Another recovers from beginning to end while the first stands at a point before it has sent anything. */
function metByRival({ cell }: TrialSpec, wiring: Wiring): readonly ObservedEvent[] {
  if (cell.rivalAt === undefined) return [];
  return [
    ...standAt(`recovery:${cell.rivalAt}`, 2, wiring.attempts),
    ...start(rival, 'recovery'),
    ...recover(rival, 4),
    ...goOn(2, false),
  ];
}

/** A recovery that is killed before it has sent anything. */
function killedRecovery(
  at: RecoveryPoint,
  incarnation: number,
  attempt: number,
): readonly ObservedEvent[] {
  const point = `recovery:${at}` as const;
  return [
    ...start(incarnation, 'recovery'),
    { type: 'kill-armed', incarnation, point, intent: 'request-1', attempt: 1, occurrence: 1 },
    { type: 'sent', incarnation, message: { type: 'recover', id: 3 } },
    ...killAt(point, incarnation, attempt),
  ];
}

/** The second incarnation and two more get five submits while the second one recovers. */
function recoveryWithStorm(story: Story): readonly ObservedEvent[] {
  const { plot, spec, wiring } = story;
  const storm = stormCallers.map(([incarnation, id]) => submit(incarnation, id, plantedRequest));
  const resent = resends(spec, wiring, plot.tier);
  const sends = spec.cell.kill === 'before_wal' ? callerSends(story) : [];
  return [
    { type: 'phase', phase: 'recovery' },
    ...start(2, 'recovery'),
    ...start(3, 'storm'),
    ...start(4, 'storm'),
    { type: 'sent', incarnation: 2, message: { type: 'recover', id: 2 } },
    { type: 'phase', phase: 'caller' },
    ...storm,
    ...resent,
    { type: 'said', incarnation: 2, message: { type: 'done', re: 2 } },
    ...sends,
    ...stormCallers.map(([incarnation, id]) => answer(incarnation, id, story.o2, wiring.attempts)),
    ...stormEnds,
    ...lateLanding(wiring),
  ];
}

/** Sending the same key again is how a keyed gate learns, as long as it may send. */
function resends(spec: TrialSpec, wiring: Wiring, tier: Tier): readonly ObservedEvent[] {
  const { kill, fault, paused, world } = spec.cell;
  const inFlight = kill !== 'before_wal' && kill !== 'after_commit_before_ack';
  if (!inFlight || tier === 'blind' || paused === true || world === 'long-outage') return [];
  if (!maySendAfter(spec)) return readPremises(wiring, 2);
  const met = fault.fault !== 'none' && fault.phase === 'resend' ? fault.fault : 'none';
  const whileRunning =
    wiring.running === null ? [] : [...conflict(wiring, 2), ...lateLanding(wiring)];
  return [...whileRunning, ...sendsUntilKnown(wiring, { incarnation: 2, fault: met, tier })];
}

/**
 * Builds sound histories: what a gate that keeps every promise leaves behind, in any reachable cell
 * of a keyed or a blind target. The checkers are tried on these and on minimal changes of them, so
 * that a checker that has gone blind is noticed. It never runs in a trial.
 */
import type { JsonObject, TargetDeclaration } from '../../adapters/target.ts';
import { type Cell, type FaultName, formatTrialId, noFault, type Scenario } from '../model/cell.ts';
import { type Ending, expectScenario } from '../model/expectation.ts';
import { type History, historyFormat, type ObservedEvent, witnessOf } from '../model/history.ts';
import type { KillPoint, RecoveryPoint } from '../model/kill-points.ts';
import type { TrialSpec } from '../model/trial.ts';
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
import { exchange, lateLanding, openWiring, type Wiring } from './plant-wire.ts';

export type Tier = 'keyed' | 'blind';

export interface Plot extends Partial<Scenario> {
  readonly tier: Tier;
  readonly kill: KillPoint;
  /** A storm that breaks in while recovery runs. */
  readonly overlaps?: boolean;
}

export interface PlantedTrial {
  readonly spec: TrialSpec;
  readonly events: readonly ObservedEvent[];
}

export const plantedRequest: JsonObject = { payment: 'pay_1', amountMinor: 2000, currency: 'usd' };
export const changedRequest: JsonObject = { ...plantedRequest, amountMinor: 3000 };

const plain: TargetDeclaration = {
  dedupe: null,
  onceByState: false,
  lookup: null,
  absence: 'never',
  storedErrorFinal: false,
  noReturnMark: false,
  premises: [],
  clientTimeoutMs: 200,
};
export const plantedDeclarations: Readonly<Record<Tier, TargetDeclaration>> = {
  keyed: { ...plain, dedupe: { windowMs: 86_400_000 } },
  blind: plain,
};

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
  const o2 = only(expectation.o2);
  const o1 = settledEarly ? o2 : only(expectation.o1);
  return { spec, events: tell({ plot, spec, o1, o2, wiring: openWiring(plot.tier === 'keyed') }) };
}

interface Story {
  readonly plot: Plot;
  readonly spec: TrialSpec;
  readonly o1: Ending;
  readonly o2: Ending;
  readonly wiring: Wiring;
}

/** The spec of the plot's cell, as a plan would write it. */
function specOf({ tier, overlaps, ...scenario }: Plot): TrialSpec {
  const cell: Cell = {
    gate: 'planted',
    target: `stripe.${tier}`,
    kill: scenario.kill,
    recoveryKills: scenario.recoveryKills ?? [],
    ...(scenario.paused === undefined ? {} : { paused: scenario.paused }),
    ...(scenario.rivalAt === undefined ? {} : { rivalAt: scenario.rivalAt }),
    fault: scenario.fault ?? noFault,
    world: scenario.world ?? 'none',
    caller: scenario.caller ?? 'same-again',
  };
  return {
    format: 1,
    id: formatTrialId(cell, 1),
    cell,
    trial: 1,
    seed: 1,
    gate: { command: ['planted'], lacks: [] },
    target: { options: {}, railOptions: {} },
    declaration: plantedDeclarations[tier],
    draws: {
      examples: 1,
      holdMs: 0,
      killJitterMs: 0,
      lateBeforeLook: false,
      lostReply: 0,
      stormOverlapsRecovery: overlaps === true,
    },
    bounds: { readyMs: 1000, answerMs: 1000, drainMs: 1000, settleMs: 1000 },
  };
}

/** Keyed and blind targets leave nothing to chance, so their cells have one ending each. */
function only(endings: readonly Ending[]): Ending {
  const [ending] = endings;
  if (ending === undefined) throw new Error('expected an ending, the table allows none');
  return ending;
}

/** The whole trial in order, as the harness would see it. */
function tell(story: Story): readonly ObservedEvent[] {
  const overlaps = story.plot.overlaps === true;
  const { paused, rivalAt } = story.spec.cell;
  return [
    ...firstIncarnation(story),
    ...outage(story.spec.cell),
    ...(overlaps ? recoveryWithStorm(story) : recovery(story)),
    ...observe('O1', 2, story.o1, story.wiring.attempts),
    ...(rivalAt === undefined ? [] : [exit(rival)]),
    ...(overlaps ? [] : callerAsksAgain(story)),
    ...(paused === true ? [...firstGoesOn(story), exit(1)] : []),
    exit(2),
    ...start(observer, 'observer'),
    ...recover(observer, 90),
    ...observe('O2', observer, story.o2, story.wiring.attempts),
    { type: 'phase', phase: 'collect' },
    exit(observer),
  ];
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
      return [];
    case 'after_wal_before_call':
      wiring.attempts += 1;
      return [];
    case 'during_call:now':
      return exchange(wiring, 1, 'none').filter((event) => event.type !== 'delivered');
    case 'during_call:later':
      return exchange(wiring, 1, 'late-apply').filter((event) => event.type !== 'fault-fired');
    case 'during_call:never':
      return exchange(wiring, 1, 'request-lost').filter((event) => event.type !== 'fault-fired');
    case 'after_call_before_commit':
      return exchange(wiring, 1, fault);
    case 'after_commit_before_ack':
      return sendsUntilKnown(wiring, 1, fault, tier);
    default:
      throw new Error(`no plot tells how a trial is killed at ${kill}`);
  }
}

/** A keyed gate sends again under the same key after an indefinite answer; a blind one can't. */
function sendsUntilKnown(
  wiring: Wiring,
  incarnation: number,
  fault: FaultName,
  tier: Tier,
): readonly ObservedEvent[] {
  const again = fault !== 'none' && tier === 'keyed';
  return [
    ...exchange(wiring, incarnation, fault),
    ...(again ? exchange(wiring, incarnation, 'none') : []),
  ];
}

function outage({ world }: Cell): readonly ObservedEvent[] {
  const changed = {
    type: 'world',
    event: world,
    clockOffsetMs: 90_000_000,
    premises: null,
    authority: 'live',
  } as const;
  return [{ type: 'phase', phase: 'outage' }, ...(world === 'none' ? [] : [changed])];
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

function resends(spec: TrialSpec, wiring: Wiring, tier: Tier): readonly ObservedEvent[] {
  const { kill, fault, paused } = spec.cell;
  const inFlight = kill !== 'before_wal' && kill !== 'after_commit_before_ack';
  if (!inFlight || tier === 'blind' || paused === true) return [];
  const met = fault.fault !== 'none' && fault.phase === 'resend' ? fault.fault : 'none';
  return sendsUntilKnown(wiring, 2, met, tier);
}

function callerAsksAgain(story: Story): readonly ObservedEvent[] {
  const { spec, o1, o2, wiring } = story;
  const { caller, paused } = spec.cell;
  if (paused === true) {
    const told: Ending = o1.claim === 'H' ? o1 : { ...o1, claim: 'W' };
    return [
      { type: 'phase', phase: 'caller' },
      submit(2, 10, plantedRequest),
      answer(2, 10, told, wiring.attempts),
    ];
  }
  if (caller === 'changed-amount') {
    return [
      { type: 'phase', phase: 'caller' },
      submit(2, 10, changedRequest),
      answer(2, 10, { claim: 'R', effects: o1.effects }, wiring.attempts),
    ];
  }
  const callers = caller === 'storm' ? stormCallers : stormCallers.slice(0, 1);
  const sends = o1.claim === 'A' ? callerSends(story) : [];
  return [
    { type: 'phase', phase: 'caller' },
    ...(caller === 'storm' ? [...start(3, 'storm'), ...start(4, 'storm')] : []),
    ...callers.map(([incarnation, id]) => submit(incarnation, id, plantedRequest)),
    ...sends,
    ...callers.map(([incarnation, id]) => answer(incarnation, id, o2, wiring.attempts)),
    ...(caller === 'storm' ? stormEnds : []),
    ...lateLanding(wiring),
  ];
}

/** The sends for the first caller; every other one joins them. */
function callerSends({ plot, spec, wiring }: Story): readonly ObservedEvent[] {
  const { fault } = spec.cell;
  const met = fault.fault !== 'none' && fault.phase === 'caller' ? fault.fault : 'none';
  return sendsUntilKnown(wiring, 2, met, plot.tier);
}

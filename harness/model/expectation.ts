/**
 * What can happen in a cell and what a sound gate must end at: one pure function of the target's
 * declaration and the scenario. Planning excludes what it calls unreachable; judging compares with
 * what it demands. It follows from what a declaration promises, never from what a run showed.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { callerFacts } from './caller-table.ts';
import type { Scenario } from './cell.ts';
import { absent, type Claim, cannotMeet, type Ending, happened, union } from './endings.ts';
import {
  afterCaller,
  answersTo,
  boundByCap,
  racingFirst,
  racingSecond,
  secondAfter,
} from './expect-caller.ts';
import { type First, firstIncarnation } from './expect-first.ts';
import { afterRecovery, unmetInRecovery } from './expect-recovery.ts';
import { unmetByTarget, unmetByWorld, unmetInOutage } from './expect-unmet.ts';
import { situationOf } from './situation.ts';
import type { WorldEvent } from './world-table.ts';

export { type Claim, type Ending, formatEndings } from './endings.ts';
export {
  classify,
  type GuaranteeClass,
  guaranteeClasses,
  guaranteeClassTitles,
} from './situation.ts';

export type Expectation =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | {
      readonly kind: 'reachable';
      /** Allowed after recovery. More than one where the order of two events outside the gate decides. */
      readonly o1: readonly Ending[];
      /** Allowed after the caller's behaviour. */
      readonly o2: readonly Ending[];
      /** Allowed as the answer to the caller. */
      readonly answers: readonly Claim[];
      /** Allowed for a second decision at the end; empty where nobody asks for one. */
      readonly second: readonly Ending[];
      /** How many effects both decisions have together at the end; null where no cap binds them. */
      readonly together: { readonly least: number; readonly most: number } | null;
    };

/** What a sound gate must end at in this scenario, or why the scenario can't exist. */
export function expectScenario(declaration: TargetDeclaration, scenario: Scenario): Expectation {
  const situation = situationOf(declaration, scenario);
  const impossible =
    unmetByTarget(situation, scenario.fault) ?? unmetByWorld(declaration, situation, scenario);
  if (impossible !== null) return cannotMeet(impossible);
  if (scenario.paused === true) return expectPaused(scenario);
  const first = overtaken(declaration, scenario.world, firstIncarnation(situation, scenario.kill));
  if (first.kind === 'cannot-meet') return first;
  const unchangeable = unmetInOutage(declaration, scenario.world, first);
  if (unchangeable !== null) return cannotMeet(unchangeable);

  const recovery = afterRecovery(situation, first);
  const recoveryPoints = [
    ...scenario.recoveryKills,
    ...(scenario.rivalAt === undefined ? [] : [scenario.rivalAt]),
  ];
  const unmet = unmetInRecovery(situation, first, recovery, recoveryPoints);
  if (unmet !== null) return cannotMeet(unmet);

  const answered = afterCaller(situation, recovery.endings, scenario, first.kind === 'in-flight');
  if (answered.kind === 'cannot-meet') return answered;
  const races = callerFacts(scenario.caller).second === 'racing';
  const o2 = races ? racingFirst(answered.endings, recovery.endings) : answered.endings;
  return {
    kind: 'reachable',
    // Callers who come at once may overlap recovery, and then their effect is already there when it is observed.
    o1: scenario.caller === 'storm' ? union(recovery.endings, answered.endings) : recovery.endings,
    o2,
    answers: answersTo(scenario, o2),
    second: races ? racingSecond(situation, recovery.endings) : secondAfter(situation, scenario),
    together: races ? boundByCap(recovery.endings, situation) : null,
  };
}

/**
 * What is on its way meets the service as it is by then: refused where what it carries has changed, and
 * where what can be done once has been done by somebody else.
 */
function overtaken(
  { guardsPremises, onceByState }: TargetDeclaration,
  world: WorldEvent,
  first: First,
): First {
  const isRefused =
    (guardsPremises && world === 'premise-changed') || (onceByState && world === 'done-by-hand');
  return isRefused && first.kind === 'in-flight' && first.sent.landing === 'later'
    ? { ...first, sent: { ...first.sent, landing: 'never' } }
    : first;
}

/**
 * A paused process is alive: whoever comes meanwhile learns that the intent is owned, and sends nothing.
 * Once it goes on, its one effect is there.
 */
function expectPaused(scenario: Scenario): Expectation {
  const { kill, fault, world, caller, recoveryKills, rivalAt } = scenario;
  const plain = fault.fault === 'none' && world === 'none' && caller === 'same-again';
  if (!plain || recoveryKills.length > 0 || rivalAt !== undefined) {
    return cannotMeet(
      'a paused process is tried alone: no fault, no other kill, the same asked again',
    );
  }
  const working = (effects: number): Expectation => ({
    kind: 'reachable',
    o1: [{ claim: 'W', effects }],
    o2: [happened],
    answers: ['W', 'H'],
    ...noSecond,
  });
  switch (kill) {
    case 'before_wal':
      return {
        kind: 'reachable',
        o1: [absent, { claim: 'W', effects: 0 }],
        o2: [happened],
        answers: ['W', 'H'],
        ...noSecond,
      };
    case 'after_wal_before_call':
      return working(0);
    case 'after_call_before_commit':
      return working(1);
    case 'after_commit_before_ack':
      return { kind: 'reachable', o1: [happened], o2: [happened], answers: ['H'], ...noSecond };
    default:
      return cannotMeet('a process can be paused only where it announces that it stands still');
  }
}

const noSecond = { second: [], together: null } as const;

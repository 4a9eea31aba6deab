/**
 * What must be found against a gate that writes a job down and carries it out until it is done, in
 * recovery as on a submit, with no regard to who else may be at it: a job table, a queue, a table whose
 * routine asks the service first. In: what the service promises, the scenario, the rules the gate
 * lacks. It plays the scenario, and holds what such a gate says against what is there.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { callerFacts } from './caller-table.ts';
import type { Scenario } from './cell.ts';
import { classify, expectScenario } from './expectation.ts';
import type { FaultKind } from './fault-table.ts';
import { cannotMeet, found, type LackingExpectation } from './lacking-expectation.ts';
import { whatEnds } from './mandate.ts';
import { findingsOfPlay } from './played-findings.ts';
import { derivedFaults } from './played-first.ts';
import { type JobManners, playJobs } from './played-jobs.ts';
import type { RuleName } from './rules.ts';

export function runsJobs(
  declaration: TargetDeclaration,
  scenario: Scenario,
  lacks: readonly RuleName[],
): LackingExpectation {
  const why =
    whyRaces(declaration, scenario, lacks) ??
    whyKeepsTooMuch(declaration, scenario, lacks) ??
    whyFaultOpen(scenario) ??
    whySecondOpen(declaration, scenario);
  if (why !== null) return cannotMeet(why);
  const sound = expectScenario(declaration, scenario);
  // What the world can't do it can't do for anybody; a fault can meet sends that a sound gate never makes.
  if (sound.kind === 'cannot-meet' && scenario.fault.fault === 'none') return sound;
  const played = playJobs(declaration, scenario, mannersOf(declaration, lacks));
  return played.kind === 'open'
    ? cannotMeet(played.why)
    : found(...findingsOfPlay(played.trial, sound));
}

function mannersOf(declaration: TargetDeclaration, lacks: readonly RuleName[]): JobManners {
  const keeps = (rule: RuleName) => !lacks.includes(rule);
  return {
    stableKey: keeps('stable-key'),
    asksFirst: asksFirst(declaration, lacks),
    rechecksAuthority: keeps('authority-rechecked'),
    rechecksPremises: keeps('premises-rechecked'),
    bindsPayload: keeps('payload-bound'),
    keepsDistinct: keeps('distinct-kept'),
    coversReasons: keeps('reason-covered'),
    surfacesUnknown: keeps('unknown-surfaced'),
    takesRefusals: !keeps('refusal-proven'),
  };
}

function asksFirst({ lookup }: TargetDeclaration, lacks: readonly RuleName[]): boolean {
  return lookup !== null && !lacks.includes('asked-first');
}

/** Why two things that nothing orders decide the outcome, or null. */
function whyRaces(
  declaration: TargetDeclaration,
  { kill, fault, caller }: Scenario,
  lacks: readonly RuleName[],
): string | null {
  if (caller === 'storm') {
    return 'how many of five racing callers send is not determined for a gate without ownership';
  }
  const landsLate =
    kill === 'during_call:later' || kill === 'during_call:running' || fault.fault === 'late-apply';
  if (landsLate && asksFirst(declaration, lacks)) {
    return 'whether a late request lands before, in or after the one look is open';
  }
  return kill === 'during_call:running' &&
    classify(declaration, false) === 'dedupes' &&
    !lacks.includes('stable-key')
    ? 'how often it is told that the service is still at work on the key is a matter of time'
    : null;
}

/** What is left of a gate that keeps these rules is another gate than those that are played; or null. */
function whyKeepsTooMuch(
  declaration: TargetDeclaration,
  { world, fault, caller }: Scenario,
  lacks: readonly RuleName[],
): string | null {
  const keeps = (rule: RuleName) => !lacks.includes(rule);
  const ends = whatEnds(declaration, world);
  const refuses =
    (ends === 'authority' && keeps('authority-rechecked')) ||
    (ends === 'premises' && keeps('premises-rechecked'));
  const kept: readonly (RuleName | false)[] = [
    asksFirst(declaration, lacks) && 'absence-final',
    refuses && 'refusal-proven',
    world === 'long-outage' && keeps('stable-key') && declaration.dedupe !== null && 'window-kept',
    caller === 'over-cap' && 'caps-reserved',
    fault.fault === 'foreign-reply' && 'stamp-compared',
  ];
  const rule = kept.find((name) => name !== false && keeps(name));
  return rule === undefined ? null : `what a gate does that keeps ${rule} is not derived`;
}

/** What is done once is done to one thing, so that a second decision is about another. */
function whySecondOpen({ onceByState }: TargetDeclaration, { caller }: Scenario): string | null {
  const isSecond = callerFacts(caller).second !== 'none' || caller === 'invented-reason';
  return onceByState && isSecond
    ? 'a second decision about what a service does once is about something else, which is not derived'
    : null;
}

const alsoDerived: readonly FaultKind[] = ['partition-forever', 'foreign-reply'];

function whyFaultOpen({ fault, world, caller }: Scenario): string | null {
  if (fault.fault === 'none') return null;
  if (world !== 'none')
    return 'what such a gate makes of a fault in a changing world is not derived';
  if (![...derivedFaults, ...alsoDerived].includes(fault.fault) || fault.phase === 'look') {
    return `what such a gate makes of ${fault.fault} is not derived`;
  }
  const { second, together } = callerFacts(caller);
  return second !== 'none' || together
    ? 'which of several requests the fault meets is not said'
    : null;
}

/**
 * What must be found against a gate that is known to lack rules, derived from the rules and never
 * from a run. Each kind of gate is played in a file of its own: one that carries jobs out whatever may
 * have become of them, one whose key alone is not stable, one that takes an owner who only pauses for
 * a dead one, one that never does anything.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { Scenario } from './cell.ts';
import { expectScenario } from './expectation.ts';
import type { FindingName } from './findings.ts';
import { cannotMeet, type LackingExpectation } from './lacking-expectation.ts';
import { neverActs } from './never-acts.ts';
import type { RuleName } from './rules.ts';
import { runsJobs } from './runs-jobs.ts';
import { sendsFreshKeys } from './sends-fresh-keys.ts';
import { takesOverTheLiving } from './takes-over-the-living.ts';

export type { LackingExpectation };

/** Reachability and expected findings for a gate that lacks these rules; none lacking means none expected. */
export function expectLacking(
  declaration: TargetDeclaration,
  scenario: Scenario,
  lacks: readonly RuleName[],
): LackingExpectation {
  if (lacks.length === 0) {
    const expectation = expectScenario(declaration, scenario);
    return expectation.kind === 'cannot-meet' ? expectation : { kind: 'reachable', findings: [] };
  }
  const [only] = lacks.length === 1 ? lacks : [];
  if (only === 'owner-proven-dead') return takesOverTheLiving(declaration, scenario);
  if (
    scenario.recoveryKills.length > 0 ||
    scenario.paused === true ||
    scenario.rivalAt !== undefined
  ) {
    return cannotMeet('a gate without points of its own in recovery can’t be killed at them');
  }
  if (lacks.includes('effects-performed')) return neverActs(scenario);
  if (lacks.includes('no-blind-resend')) return runsJobs(declaration, scenario, lacks);
  if (only === 'stable-key') return sendsFreshKeys(declaration, scenario);
  return cannotMeet(`no derivation for a gate that lacks only ${lacks.join(', ')}`);
}

/** The findings alone, for judging a trial that was planned. */
export function expectedFindings(spec: {
  readonly declaration: TargetDeclaration;
  readonly cell: Scenario;
  readonly gate: { readonly lacks: readonly RuleName[] };
  /** Declared with what was broken on purpose. */
  readonly expected?: readonly FindingName[] | undefined;
}): readonly FindingName[] {
  if (spec.expected !== undefined) return spec.expected;
  const expectation = expectLacking(spec.declaration, spec.cell, spec.gate.lacks);
  return expectation.kind === 'reachable' ? expectation.findings : [];
}

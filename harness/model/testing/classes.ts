/** One declaration of each guarantee class, and the expectation of a cell as one line: `A0 → H1`. */
import type { Premise, TargetDeclaration } from '../../../adapters/target.ts';
import type { Scenario } from '../cell.ts';
import { expectScenario, formatEndings, type GuaranteeClass } from '../expectation.ts';

export type ScenarioChange = Partial<Scenario> & Pick<Scenario, 'kill'>;

export const plain: TargetDeclaration = {
  dedupe: null,
  onceByState: false,
  guardsPremises: false,
  lookup: null,
  absence: 'never',
  storedErrorFinal: false,
  noReturnMark: false,
  premises: [],
  clientTimeoutMs: 200,
};
const lookup = { lagMs: 50, seesDeletions: false };
export const declarations: Readonly<Record<GuaranteeClass, TargetDeclaration>> = {
  dedupes: { ...plain, dedupe: { windowMs: 86_400_000 } },
  'window-over': { ...plain, dedupe: { windowMs: 86_400_000 } },
  fence: { ...plain, lookup, absence: 'fence' },
  bound: { ...plain, lookup, absence: { landingBoundMs: 100 } },
  unbounded: { ...plain, lookup },
  neither: plain,
  'neither-marked': { ...plain, noReturnMark: true },
};

const bothKinds: readonly Premise['kind'][] = ['value-equals', 'version-unchanged'];

/** The same target, which can capture premises and sees what was undone. */
export function withPremises(
  declaration: TargetDeclaration,
  premises: readonly Premise['kind'][] = bothKinds,
): TargetDeclaration {
  const seeing =
    declaration.lookup === null ? null : { ...declaration.lookup, seesDeletions: true };
  return { ...declaration, premises, lookup: seeing };
}

/** Without a change: no fault, nothing changes, and the same is asked for again. */
export function scenarioOf(change: ScenarioChange): Scenario {
  return {
    fault: { fault: 'none' },
    recoveryKills: [],
    world: 'none',
    caller: 'same-again',
    ...change,
  };
}

/** `A0 → H1`, or `cannot-meet`. */
export function ended(declaration: TargetDeclaration, change: ScenarioChange): string {
  const expectation = expectScenario(declaration, scenarioOf(change));
  if (expectation.kind === 'cannot-meet') return 'cannot-meet';
  return `${formatEndings(expectation.o1)} → ${formatEndings(expectation.o2)}`;
}

/** What is expected of a second decision, and how many effects both may have: `R0 or H1, 1 to 1 together`. */
export function endedSecond(declaration: TargetDeclaration, change: ScenarioChange): string {
  const expectation = expectScenario(declaration, scenarioOf(change));
  if (expectation.kind === 'cannot-meet') return 'cannot-meet';
  const { second, together } = expectation;
  const bound = together === null ? '' : `, ${together.least} to ${together.most} together`;
  return `${formatEndings(second)}${bound}`;
}

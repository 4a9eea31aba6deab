/**
 * Which rules a gate lacks, from what was found against it. Pure. A finding says which promise broke; the
 * cells in which it breaks and those in which it does not say which rule is missing.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { parseId } from '../model/cell.ts';
import type { FindingName } from '../model/findings.ts';
import type { TrialRecord } from '../model/results.ts';
import type { RuleName } from '../model/rules.ts';
import { situationOf } from '../model/situation.ts';
import { brokenPromises } from '../results/record.ts';
import { clues } from './clues.ts';
import type { Condemned } from './conditions.ts';

export interface Diagnosis {
  readonly rule: RuleName;
  readonly because: string;
  /** From 1 to 10: the surest clue. */
  readonly weight: number;
  /** The trials that show it, those of the surest clue first. */
  readonly trials: readonly string[];
  readonly findings: readonly FindingName[];
}

export interface DiagnosedRun {
  readonly trials: readonly TrialRecord[];
  readonly targets: readonly { readonly name: string; readonly declaration: TargetDeclaration }[];
}

/** The surest first; empty where nothing was found. */
export function diagnose({ trials, targets }: DiagnosedRun): readonly Diagnosis[] {
  const byRule = new Map<RuleName, Diagnosis>();
  const condemned = trials.flatMap((record) => {
    const read = readCondemned(record, targets);
    return read === null ? [] : [{ record, read }];
  });
  for (const { rule, weight, because, matches } of [...clues].sort((a, b) => b.weight - a.weight)) {
    const shown = condemned.filter(({ read }) => matches(read));
    if (shown.length === 0) continue;
    const known = byRule.get(rule);
    const ids = shown.map(({ record }) => record.id);
    const names = shown.flatMap(({ read }) => [...read.found]);
    byRule.set(rule, {
      rule,
      because: known?.because ?? because,
      weight: known?.weight ?? weight,
      trials: [...new Set([...(known?.trials ?? []), ...ids])],
      findings: [...new Set([...(known?.findings ?? []), ...names])],
    });
  }
  return [...byRule.values()].sort((left, right) => surenessOf(right) - surenessOf(left));
}

/** A pattern that many trials show explains the few that a more special one would. */
function surenessOf({ weight, trials }: Diagnosis): number {
  return weight + Math.log2(trials.length);
}

function readCondemned(record: TrialRecord, targets: DiagnosedRun['targets']): Condemned | null {
  const names = brokenPromises(record);
  const parsed = parseId(record.id);
  if (record.verdict !== 'violated' || names.length === 0 || parsed.kind !== 'id') return null;
  const target = targets.find(({ name }) => name === parsed.cell.target);
  if (target === undefined) return null;
  return {
    cell: parsed.cell,
    situation: situationOf(target.declaration, parsed.cell),
    found: new Set(names),
    record,
  };
}

/**
 * What a test says of a cell. In: a result of `runCell`. Out: nothing, or an error that names the findings,
 * the effects, what the gate said and the command that runs it again. Needs no test runner: it only throws.
 */
import type { FindingName } from '../model/findings.ts';
import type { TrialRecord } from '../model/results.ts';
import { explain } from '../reports/unmet.ts';
import { brokenPromises } from '../results/record.ts';
import type { CellResult } from './run-cell.ts';

export class CellError extends Error {
  override readonly name = 'CellError';
}

/** Throws CellError unless every promise was kept, and was seen to be. */
export function expectHolds(result: CellResult): void {
  if (result.record.verdict === 'holds') return;
  throw new CellError(describe(result, 'expected every promise to be kept'));
}

/** Throws CellError unless exactly these promises were broken. For what is known to be broken. */
export function expectFindings(result: CellResult, ...expected: readonly FindingName[]): void {
  const { record } = result;
  const found = brokenPromises(record);
  const isAsExpected =
    found.length === expected.length && expected.every((name) => found.includes(name));
  if (record.verdict === 'violated' && isAsExpected) return;
  throw new CellError(describe(result, `expected to find ${expected.join(', ')}`));
}

function describe(result: CellResult, expected: string): string {
  const { record, historyPath, again } = result;
  return [
    `${record.id}: ${expected}, and it ${verdictText(record)}`,
    ...explain(record),
    ...observed('O1, after recovery', record.o1),
    ...observed('O2, after the caller asked again', record.o2),
    ...(historyPath === null ? [] : [`history: ${historyPath}`]),
    `again: ${again}`,
  ].join('\n  ');
}

function verdictText({ verdict, findings }: TrialRecord): string {
  switch (verdict) {
    case 'inconclusive':
      return 'proved nothing; a machine that is busy may be why, so run it again alone before looking further';
    case 'violated':
      return `broke ${[...new Set(findings.map(({ finding }) => finding))].join(', ')}`;
    default:
      return 'kept every promise';
  }
}

function observed(when: string, observation: TrialRecord['o1']): readonly string[] {
  if (observation === null) return [];
  const { effects, outcome } = observation;
  const said =
    outcome === null ? 'the gate did not answer' : `${outcome.outcome}, ${outcome.disposition}`;
  return [
    `${when}: ${effects ?? 'unknown'} effect${effects === 1 ? '' : 's'} in the journal, the gate says ${said}`,
  ];
}

/** Cells that the declaration allows for and a rail can't show: what they would prove was not tried. Pure. */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { expectScenario } from '../model/expectation.ts';
import type { TrialRecord } from '../model/results.ts';
import { cellOf } from '../results/read-cell.ts';

/** Null for what ran, and for a cell that can't exist for such a target behind any rail. */
export function beyondRailReason(
  record: TrialRecord,
  declaration: TargetDeclaration,
): string | null {
  if (record.verdict !== 'excluded') return null;
  return expectScenario(declaration, cellOf(record)).kind === 'reachable'
    ? (record.reason ?? '').replace(/^cannot-meet: /, '')
    : null;
}

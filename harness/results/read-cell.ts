/** The cell a record belongs to, read back from its id. */
import { type Cell, parseId } from '../model/cell.ts';
import type { TrialRecord } from '../model/results.ts';

/** Throws for an id that no plan could have made: stored results are checked when they are read. */
export function cellOf(record: TrialRecord): Cell {
  const parsed = parseId(record.id);
  if (parsed.kind === 'not-an-id') throw new Error(`a record with an unreadable id: ${parsed.why}`);
  return parsed.cell;
}

/**
 * Gates of which a broken promise was expected somewhere in these results: they are known to lack
 * rules. All others must hold everywhere.
 */
export function gatesThatLackRules(records: readonly TrialRecord[]): ReadonlySet<string> {
  return new Set(
    records
      .filter((record) => record.expectedFindings.length > 0)
      .map((record) => cellOf(record).gate),
  );
}

/** The cell a record belongs to, read back from its id. */
import { type Cell, parseId } from '../model/cell.ts';
import type { GateFacts, TrialRecord } from '../model/results.ts';

/** Throws for an id that no plan could have made; the schema of results lets none pass. */
export function cellOf(record: TrialRecord): Cell {
  const parsed = parseId(record.id);
  if (parsed.kind === 'not-an-id') throw new Error(`a record with an unreadable id: ${parsed.why}`);
  return parsed.cell;
}

/** Gates that are known to lack rules, by name. All others must hold everywhere. */
export function gatesThatLackRules(gates: readonly GateFacts[]): ReadonlySet<string> {
  return new Set(gates.filter(({ lacks }) => lacks.length > 0).map(({ name }) => name));
}

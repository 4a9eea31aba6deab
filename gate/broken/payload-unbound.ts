/** Stands in for `reference/outcome.ts`: another substance is answered as if it were the one recorded. */
import type { Outcome } from '../gate.ts';
import { outcomeOf } from '../reference/outcome.ts';
import type { IntentRow } from '../reference/schema.ts';

export * from '../reference/outcome.ts';

export function otherPayload(row: IntentRow): Outcome {
  return { ...outcomeOf(row, true, ''), receipt: null };
}

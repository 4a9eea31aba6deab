/** Stands in for `reference/surface.ts`: what can't be known will have happened. */
import { claimOf, type Engine } from '../reference/engine.ts';
import type { IntentRow } from '../reference/schema.ts';

export * from '../reference/surface.ts';

export function surface(engine: Engine, row: IntentRow): IntentRow {
  return engine.ledger.transact((step) => {
    const looking = step.record(step.held(claimOf(row)), 'look');
    return step.record(looking, 'landed', { set: { entityId: row.railKey, owner: null } });
  });
}

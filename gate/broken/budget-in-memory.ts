/** Stands in for `reference/recovery.ts`: every process has looked at nothing yet. */
import { claimOf } from '../reference/engine.ts';
import { learn as learnOn } from '../reference/recovery.ts';
import type { IntentRow } from '../reference/schema.ts';

export * from '../reference/recovery.ts';

export async function learn(
  ...[engine, owned, options]: Parameters<typeof learnOn>
): Promise<IntentRow> {
  const forgotten = engine.ledger.transact((step) =>
    step.record(step.held(claimOf(owned)), 'own', { set: { looks: 0 } }),
  );
  return await learnOn(engine, forgotten, options);
}

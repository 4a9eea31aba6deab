/** Stands in for `reference/recovery.ts`: what is unknown stays so. */
import type { Engine } from '../reference/engine.ts';
import type { IntentRow } from '../reference/schema.ts';

export * from '../reference/recovery.ts';

export async function learn(_engine: Engine, owned: IntentRow): Promise<IntentRow> {
  return owned;
}

/** Stands in for `reference/recovery.ts`: the bound counts from the last send, not from ownership. */
import { monotonicMs } from '../reference/engine.ts';
import { learn as learnSince } from '../reference/recovery.ts';
import type { IntentRow } from '../reference/schema.ts';

export * from '../reference/recovery.ts';

export async function learn(
  ...[engine, owned, options]: Parameters<typeof learnSince>
): Promise<IntentRow> {
  const sentMs = engine.ledger.attempts(owned).at(-1)?.startedAtMs ?? engine.now();
  const quietSinceMs = monotonicMs() - (engine.now() - sentMs);
  return await learnSince(engine, owned, { ...options, quietSinceMs });
}

/** What the parts of one gate share, and the few things they all do with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EffectTarget, JsonObject, Premise } from '../../adapters/target.ts';
import type { AnnouncedPoint, AtPoint, Authority } from '../gate.ts';
import type { Claim, Ledger } from './ledger.ts';
import type { OverdueSends } from './overdue.ts';
import type { Ownership } from './ownership.ts';
import type { IntentRow } from './schema.ts';

export interface Timing {
  /** How often a submit that joins another process's work reads the ledger. */
  readonly pollMs: number;
  /** How long it does so before it answers that somebody else is at work. */
  readonly joinWaitMs: number;
  /** How long an authority may take before its lease counts as dead. */
  readonly authorityTimeoutMs: number;
}

export interface Engine {
  readonly target: EffectTarget;
  readonly ledger: Ledger;
  readonly lock: Ownership;
  readonly authority: Authority;
  /** Epoch milliseconds; waits never use it. */
  readonly now: () => number;
  readonly at: AtPoint | null;
  readonly timing: Timing;
  readonly overdue: OverdueSends;
}

/** Under whose authority, and relying on what, an attempt is made. */
export interface Mandate {
  readonly lease: string;
  readonly premises: readonly Premise[];
}

/** Blocks for as long as the callback does; a transaction held meanwhile would block every gate. */
export function announce(engine: Engine, point: AnnouncedPoint, row: IntentRow): void {
  if (engine.ledger.inTransaction) {
    throw new Error(`${point} was announced inside a ledger transaction; announce it after`);
  }
  engine.at?.({ point, intent: row.requestId, attempt: row.attempts });
}

export function claimOf(row: IntentRow): Claim {
  const { decisionKey, proposal, owner, generation } = row;
  if (owner === null) throw new Error(`intent ${decisionKey} was claimed by nobody`);
  return { decisionKey, proposal, owner, generation };
}

export function requestOf(row: IntentRow): JsonObject {
  return JSON.parse(row.request) as JsonObject;
}

export function monotonicMs(): number {
  return performance.now();
}

/** Waits until `durationMs` have passed since `sinceMs` on the monotonic clock; timers may fire early. */
export async function waitSince(sinceMs: number, durationMs: number): Promise<void> {
  for (;;) {
    const leftMs = sinceMs + durationMs - monotonicMs();
    if (leftMs <= 0) return;
    await sleep(Math.ceil(leftMs));
  }
}

export function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

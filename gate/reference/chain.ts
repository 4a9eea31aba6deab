/**
 * The hash chain: one entry for every change of an intent, written in the change's own transaction.
 * An entry's body carries the columns it set, so that folding the chain rebuilds the tables.
 */
import { canonicalJson, sha256 } from './identity.ts';
import type { AttemptRow, IntentRow } from './schema.ts';
import type { GateEvent } from './states.ts';

/** What is recorded without moving the state. */
export type Note = 'propose' | 'propose-blocked' | 'own' | 'disown' | 'mark-no-return';

export type IntentPatch = Partial<Omit<IntentRow, 'decisionKey' | 'proposal' | 'chainSeq'>>;
export type AttemptPatch = Partial<Omit<AttemptRow, 'decisionKey' | 'proposal' | 'attempt'>>;

export interface AttemptChange {
  readonly attempt: number;
  readonly set: AttemptPatch;
}

export interface ChainBody {
  readonly decisionKey: string;
  readonly proposal: number;
  readonly event: GateEvent | Note;
  /** The columns this entry set, at their new values. */
  readonly set: IntentPatch;
  readonly attempts: readonly AttemptChange[];
}

export interface ChainRow {
  readonly seq: number;
  readonly atMs: number;
  /** The latest time any entry up to this one was recorded at. */
  readonly clockHighMs: number;
  readonly body: string;
  readonly prevHash: string;
  readonly hash: string;
}

export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** What the first entry follows. */
export const chainStart = { seq: 0, hash: '0'.repeat(64), clockHighMs: 0 };

/** Entries between two checkpoints: what a start has to verify at most. */
export const checkpointEvery = 64;

export function hashEntry(entry: Omit<ChainRow, 'hash'>): string {
  const { seq, atMs, clockHighMs, body, prevHash } = entry;
  return sha256(canonicalJson([seq, atMs, clockHighMs, prevHash, body]));
}

export function nextEntry(
  tail: ChainHead & { readonly clockHighMs: number },
  atMs: number,
  body: ChainBody,
): ChainRow {
  const entry = {
    seq: tail.seq + 1,
    atMs,
    clockHighMs: Math.max(tail.clockHighMs, atMs),
    body: canonicalJson(body),
    prevHash: tail.hash,
  };
  return { ...entry, hash: hashEntry(entry) };
}

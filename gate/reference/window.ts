/**
 * How long a service's dedupe window can be relied on: from the first attempt that may have had an
 * effect, with a margin, and only while the clock has never gone backwards. Pure.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { AttemptRow } from './schema.ts';

export type WindowState =
  | { readonly kind: 'open' }
  | { readonly kind: 'over'; readonly why: string }
  /** The service does not dedupe at all. */
  | { readonly kind: 'none' };

const hourMs = 3_600_000;

/** The part of the window that is not used, so that two clocks may disagree. */
export function windowMarginMs(windowMs: number): number {
  return Math.min(windowMs / 24, hourMs);
}

export interface WindowQuestion {
  readonly dedupe: TargetDeclaration['dedupe'];
  readonly attempts: readonly AttemptRow[];
  readonly nowMs: number;
  /** The latest time anything in the ledger was recorded at. */
  readonly clockHighMs: number;
}

export function windowState(question: WindowQuestion): WindowState {
  const { dedupe, attempts, nowMs, clockHighMs } = question;
  if (dedupe === null) return { kind: 'none' };
  if (dedupe.windowMs === 'forever') return { kind: 'open' };
  // An attempt that provably did nothing left nothing behind that a window could protect.
  const first = attempts.find((attempt) => attempt.noEffect === null);
  if (first === undefined) return { kind: 'open' };
  if (nowMs < clockHighMs) {
    return { kind: 'over', why: `the clock went back by ${clockHighMs - nowMs} ms` };
  }
  const ageMs = nowMs - first.startedAtMs;
  const usableMs = dedupe.windowMs - windowMarginMs(dedupe.windowMs);
  if (ageMs < usableMs) return { kind: 'open' };
  return { kind: 'over', why: `${ageMs} ms since the first attempt, ${usableMs} ms are usable` };
}

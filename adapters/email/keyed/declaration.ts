/** What the service does for a caller that has lost its memory; the README has why. */
import type { TargetDeclaration } from '../../target.ts';

/** Resend keeps a key for 24 hours. */
const windowMs = 24 * 60 * 60 * 1000;

export function declare(clientTimeoutMs: number): TargetDeclaration {
  return {
    dedupe: { windowMs },
    onceByState: false,
    guardsPremises: false,
    lookup: null,
    absence: 'never',
    storedErrorFinal: false,
    noReturnMark: false,
    premises: [],
    clientTimeoutMs,
  };
}

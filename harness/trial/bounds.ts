/** How long a trial waits for what, from what its target declares. */
import type { TrialSpec } from '../model/trial.ts';

/** Deadlines of a trial on a local rail; generous, because passing one is a statement about the subject. */
const localBounds: TrialSpec['bounds'] = {
  readyMs: 15_000,
  answerMs: 15_000,
  drainMs: 5_000,
  settleMs: 5_000,
};

/** No less where the service is far away: a gate may wait for as many calls, and twice for what it declares. */
const callsInAnAnswer = 10;

export function boundsFor({
  clientTimeoutMs,
  lookup,
  absence,
}: TrialSpec['declaration']): TrialSpec['bounds'] {
  const landingMs = typeof absence === 'object' ? absence.landingBoundMs : 0;
  const waitsMs = 2 * (landingMs + (lookup?.lagMs ?? 0));
  // A fault that outlasts the client's patience has ended when it has passed twice.
  const outlastedMs = 2 * clientTimeoutMs;
  return {
    readyMs: localBounds.readyMs,
    answerMs: Math.max(localBounds.answerMs, callsInAnAnswer * clientTimeoutMs + waitsMs),
    drainMs: Math.max(localBounds.drainMs, outlastedMs),
    settleMs: Math.max(localBounds.settleMs, outlastedMs),
  };
}

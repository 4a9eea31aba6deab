/**
 * A deadline for an answer. In: how long it is waited for. Out: a call when it did not come. What has
 * come by then is read first: when the process itself was held up, the timer is due before the answer
 * in the socket's buffer has been looked at, and giving up then would be an unknown for nothing.
 */

/** Turns of the event loop in which an answer that is already here is read to its end. */
const readingTurns = 4;

export function afterReading(durationMs: number, fire: () => void): { cancel(): void } {
  let isCancelled = false;
  const turn = (left: number): void => {
    if (isCancelled) return;
    if (left === 0) fire();
    else setImmediate(() => turn(left - 1));
  };
  const timer = setTimeout(() => turn(readingTurns), durationMs);
  return {
    cancel() {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}

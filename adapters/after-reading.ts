/**
 * What has come is read before anything is concluded from what has not. When the process itself was
 * held up, a timer is due before the answer in the socket's buffer has been looked at, and giving up
 * then would be an unknown for nothing.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Turns of the event loop in which an answer that is already here is read to its end. */
const readingTurns = 4;

export async function readWhatCame(): Promise<void> {
  for (let turn = 0; turn < readingTurns; turn += 1) await nextTurn();
}

/** Calls `fire` when that long has passed and what had come by then is read. */
export function afterReading(durationMs: number, fire: () => void): { cancel(): void } {
  let isCancelled = false;
  const timer = setTimeout(async () => {
    await readWhatCame();
    if (!isCancelled) fire();
  }, durationMs);
  return {
    cancel() {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}

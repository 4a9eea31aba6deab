/**
 * Waits for a call of somebody else's code, but not for ever. In: a promise and a bound. Out: its
 * answer, or that none came in time; whatever comes later is dropped, a rejection too.
 */

export type Bounded<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'overdue' };

/** setTimeout takes 31 bits and fires at once beyond them. */
const longestTimerMs = 2 ** 31 - 1;
/**
 * A process that stood still finds its timers over before it has read what came meanwhile: an answer
 * takes a few turns of the loop, and an answer that was there in time is not overdue.
 */
const readingTurns = 10;

/** Rejects with what the call rejects with in time. */
export function bounded<T>(call: T | Promise<T>, boundMs: number): Promise<Bounded<T>> {
  return new Promise((resolve, reject) => {
    const wait = (turns: number): void => {
      if (turns === 0) resolve({ kind: 'overdue' });
      else setImmediate(() => wait(turns - 1));
    };
    const timer = setTimeout(() => wait(readingTurns), Math.min(boundMs, longestTimerMs));
    Promise.resolve(call).then(
      (value) => {
        clearTimeout(timer);
        resolve({ kind: 'answered', value });
      },
      (thrown: unknown) => {
        clearTimeout(timer);
        reject(thrown);
      },
    );
  });
}

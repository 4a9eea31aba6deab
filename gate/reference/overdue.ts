/**
 * How long the gate waits for a target, and the sends it has stopped waiting for.
 *
 * A target promises to end its own calls. One that does not must not hang the gate, and its call is
 * not over because nobody waits for it: it may still send. So long as it may, "not there" proves
 * nothing that rests on a wait, and the intent stays this incarnation's, so that no other takes the
 * silence for the end.
 */
/**
 * The gate's patience, as a multiple of the declaration's `clientTimeoutMs`. A send is one call, and
 * twice is late beyond doubt; a look or a check may read several pages, each with that timeout.
 */
export const sendPatience = 2;
export const lookPatience = 5;

export class OverdueSends {
  readonly #running = new Map<string, Set<Promise<unknown>>>();
  readonly #endedAtMs = new Map<string, number>();

  add(decisionKey: string, send: Promise<unknown>): void {
    const running = this.#running.get(decisionKey) ?? new Set();
    this.#running.set(decisionKey, running.add(send));
    const end = () => {
      running.delete(send);
      if (running.size === 0) this.#running.delete(decisionKey);
      this.#endedAtMs.set(decisionKey, performance.now());
    };
    // What it says now is too late to be believed; that it ended is all there is to learn.
    send.then(end, end);
  }

  /** Null while one of them runs; otherwise when the last one ended, on the monotonic clock: never, if none was. */
  quietSinceMs(decisionKey: string): number | null {
    if (this.#running.has(decisionKey)) return null;
    return this.#endedAtMs.get(decisionKey) ?? Number.NEGATIVE_INFINITY;
  }

  /** Resolves when all of them have ended; null when none runs. */
  allEnded(): Promise<unknown> | null {
    const running = [...this.#running.values()].flatMap((sends) => [...sends]);
    return running.length === 0 ? null : Promise.allSettled(running);
  }
}

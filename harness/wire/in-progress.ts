/**
 * Counts what is under way on the wire, for each incarnation, and lets others wait for an end of it.
 * A wait ends with the change that fulfils it or with its deadline; nothing is polled.
 */

/** `requests`: begun, and neither answered nor given up. `exchanges`: given to the service and unfinished. */
export type Counted = 'connections' | 'tunnels' | 'requests' | 'exchanges';

interface Waiter {
  readonly isOver: () => boolean;
  readonly resolve: (over: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

export class InProgress {
  readonly #counts = new Map<number, Record<Counted, number>>();
  readonly #waiters = new Set<Waiter>();

  began(incarnation: number, what: Counted): void {
    this.#of(incarnation)[what] += 1;
  }

  ended(incarnation: number, what: Counted): void {
    this.#of(incarnation)[what] -= 1;
    for (const waiter of this.#waiters) {
      if (waiter.isOver()) this.#finish(waiter, true);
    }
  }

  /** Requests without an end and tunnels still open. A kept-alive connection with no request on it is at rest. */
  open(): number {
    let sum = 0;
    for (const counts of this.#counts.values()) sum += counts.requests + counts.tunnels;
    return sum;
  }

  /** The sender's connections are closed and the service is at work on nothing of it. */
  senderGone(incarnation: number): boolean {
    const counts = this.#of(incarnation);
    return counts.connections === 0 && counts.exchanges === 0;
  }

  /** True once `isOver` is, false at the deadline. */
  when(isOver: () => boolean, deadlineMs: number): Promise<boolean> {
    if (isOver()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#finish(waiter, isOver()), deadlineMs);
      const waiter: Waiter = { isOver, resolve, timer };
      this.#waiters.add(waiter);
    });
  }

  #finish(waiter: Waiter, over: boolean): void {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
    waiter.resolve(over);
  }

  #of(incarnation: number): Record<Counted, number> {
    const known = this.#counts.get(incarnation);
    if (known !== undefined) return known;
    const fresh = { connections: 0, tunnels: 0, requests: 0, exchanges: 0 };
    this.#counts.set(incarnation, fresh);
    return fresh;
  }
}

/**
 * What only the service itself can do wrong; whatever a wire can do is left to the wire. In: armed
 * faults. Out: the one that meets a request, if any. Only requests of the subject are met: people's
 * credentials work undisturbed.
 */
import type { RailFault } from '../rail.ts';
import type { Actor } from './refunds.ts';

/** Beyond what any rail may do, two refusals in Stripe's own words. Each meets one mutating request. */
export type StripeFault =
  | RailFault
  | { readonly kind: 'forbidden' }
  /** Another request holds the charge. */
  | { readonly kind: 'lock-timeout' };

type FaultOf<Kind extends StripeFault['kind']> = Extract<StripeFault, { readonly kind: Kind }>;

/** A request stopped after its key was taken and before anything was executed. */
export interface HeldRequest {
  /** Resolves when a request is held. */
  readonly reached: Promise<void>;
  /** Lets it go on; the refund is then made, whether or not its sender still lives. */
  release(): void;
}

interface Armed {
  readonly fault: StripeFault;
  readonly fired: () => void;
  /** How many more requests it meets. */
  left: number;
}

interface Hold {
  readonly reach: () => void;
  readonly released: Promise<void>;
}

export class ArmedFaults {
  #armed: Armed[] = [];
  #holds: Hold[] = [];
  readonly #releases = new Set<() => void>();

  arm(fault: StripeFault, fired: () => void): void {
    this.#armed.push({ fault, fired, left: meetingsOf(fault) });
  }

  hold(): HeldRequest {
    const reached = deferred();
    const released = deferred();
    this.#releases.add(released.resolve);
    this.#holds.push({ reach: reached.resolve, released: released.promise });
    return {
      reached: reached.promise,
      release: () => {
        this.#releases.delete(released.resolve);
        released.resolve();
      },
    };
  }

  /** The first armed fault of these kinds, which has now met one more request; null when there is none. */
  meet<Kind extends StripeFault['kind']>(
    actor: Actor,
    ...kinds: readonly Kind[]
  ): FaultOf<Kind> | null {
    if (actor !== 'subject') return null;
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (!isOf(fault, kinds)) continue;
      armed.left -= 1;
      if (armed.left === 0) this.#armed = this.#armed.filter((other) => other !== armed);
      armed.fired();
      return fault;
    }
    return null;
  }

  /** Returns at once unless a hold was asked for. */
  async pass(actor: Actor): Promise<void> {
    if (actor !== 'subject') return;
    const hold = this.#holds.shift();
    hold?.reach();
    await hold?.released;
  }

  /** Forgets what is armed and lets go of what is held. */
  clear(): void {
    this.#armed = [];
    this.#holds = [];
    for (const release of this.#releases) release();
    this.#releases.clear();
  }
}

function meetingsOf(fault: StripeFault): number {
  switch (fault.kind) {
    case 'stored-error':
    case 'refused':
    case 'lookup-error':
    case 'forbidden':
    case 'lock-timeout':
      return 1;
    case 'in-flight-conflict':
      return fault.times;
    case 'stale-read':
    case 'paged':
      return Number.POSITIVE_INFINITY;
    default:
      return fault satisfies never;
  }
}

function isOf<Kind extends StripeFault['kind']>(
  fault: StripeFault,
  kinds: readonly Kind[],
): fault is FaultOf<Kind> {
  return kinds.some((kind) => kind === fault.kind);
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = unset;
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

/** A promise runs its executor before it is handed out, so that this is never called. */
function unset(): never {
  throw new Error('expected a promise to hand out its resolve at once');
}

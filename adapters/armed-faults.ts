/**
 * The faults a rail has been told to do. In: armed faults and requests stopped for a test. Out: the
 * one that meets a request, if any. Only requests of the subject are met: people's credentials work
 * undisturbed.
 */
import type { HeldRequest, JournalEffect, RailFault } from './rail.ts';

type Actor = JournalEffect['actor'];
type OfKind<Fault, Kind> = Extract<Fault, { readonly kind: Kind }>;

export interface Arming {
  /** How many requests it meets before it is spent. */
  readonly meetings: number;
  /** Called at each. */
  readonly fired: () => void;
}

interface Armed<Fault> {
  readonly fault: Fault;
  readonly fired: () => void;
  left: number;
}

interface Hold {
  readonly reach: () => void;
  readonly released: Promise<void>;
  readonly release: () => void;
}

/** A rail with words of its own for refusals adds them to the faults of the contract. */
export class ArmedFaults<Fault extends { readonly kind: string } = RailFault> {
  #armed: Armed<Fault>[] = [];
  /** Those nothing has met yet. */
  #holds: Hold[] = [];
  readonly #held = new Set<Hold>();

  arm(fault: Fault, { meetings, fired }: Arming): void {
    this.#armed.push({ fault, fired, left: meetings });
  }

  hold(): HeldRequest {
    const reached = deferred();
    const released = deferred();
    this.#holds.push({
      reach: reached.resolve,
      released: released.promise,
      release: released.resolve,
    });
    return { reached: reached.promise, release: released.resolve };
  }

  /** The first armed fault of these kinds, which has now met one more request; null when there is none. */
  meet<Kind extends Fault['kind']>(
    actor: Actor,
    ...kinds: readonly Kind[]
  ): OfKind<Fault, Kind> | null {
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
    if (hold === undefined) return;
    this.#held.add(hold);
    hold.reach();
    await hold.released;
    this.#held.delete(hold);
  }

  /** Lets go of what is held; what was armed or asked for stays. */
  letGo(): void {
    for (const hold of this.#held) hold.release();
  }

  /** Forgets what is armed and asked for, and lets go of what is held. */
  clear(): void {
    this.#armed = [];
    this.#holds = [];
    this.letGo();
  }
}

export function meetingsOf(fault: RailFault): number {
  switch (fault.kind) {
    case 'stored-error':
    case 'refused':
    case 'turned-down':
    case 'half-done':
    case 'lookup-error':
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

function isOf<Fault extends { readonly kind: string }, Kind extends Fault['kind']>(
  fault: Fault,
  kinds: readonly Kind[],
): fault is OfKind<Fault, Kind> {
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

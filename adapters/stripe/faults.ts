/**
 * What only the service itself can do wrong; whatever a wire can do is left to the wire. In: armed
 * faults. Out: the one that strikes a request at a stage. Each strikes once, and only requests of
 * the subject: people's credentials work undisturbed.
 */

export type StripeFault =
  /** The answer is a 500 that Stripe stores under the key, with or without the refund made. */
  | { readonly kind: 'stored-500'; readonly landed: boolean }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'rate-limit' }
  /** Another request holds the charge. */
  | { readonly kind: 'lock-timeout' };

/** A fault that was armed. `fired` turns true when it struck a request. */
export interface ArmedFault {
  readonly fired: boolean;
}

/** A request stopped after its key was taken and before anything was executed. */
export interface HeldRequest extends ArmedFault {
  /** Resolves when a request is held. */
  readonly reached: Promise<void>;
  /** Lets it go on; the refund is then made, whether or not its sender still lives. */
  release(): void;
}

interface Hold {
  readonly kind: 'hold';
  readonly reach: () => void;
  readonly released: Promise<void>;
}

/** `front`: before the idempotency layer, which then never sees the request. */
export type Stage = 'front' | 'hold' | 'execution';

interface Armed {
  readonly stage: Stage;
  readonly fault: StripeFault | Hold;
  fired: boolean;
}

export class FaultQueue {
  #armed: Armed[] = [];
  readonly #releases = new Set<() => void>();

  arm(fault: StripeFault): ArmedFault {
    return this.#push(fault.kind === 'stored-500' ? 'execution' : 'front', fault);
  }

  hold(): HeldRequest {
    const reached = deferred();
    const released = deferred();
    this.#releases.add(released.resolve);
    const fault: Hold = { kind: 'hold', reach: reached.resolve, released: released.promise };
    const armed = this.#push('hold', fault);
    return {
      get fired() {
        return armed.fired;
      },
      reached: reached.promise,
      release: () => {
        this.#releases.delete(released.resolve);
        released.resolve();
      },
    };
  }

  /** Takes the first fault armed for the stage, null when there is none. */
  take(stage: Stage): StripeFault | Hold | null {
    const armed = this.#armed.find((candidate) => candidate.stage === stage);
    if (armed === undefined) return null;
    this.#armed = this.#armed.filter((candidate) => candidate !== armed);
    armed.fired = true;
    return armed.fault;
  }

  /** Forgets what is armed and lets go of what is held. */
  clear(): void {
    this.#armed = [];
    for (const release of this.#releases) release();
    this.#releases.clear();
  }

  #push(stage: Stage, fault: StripeFault | Hold): Armed {
    const armed: Armed = { stage, fault, fired: false };
    this.#armed.push(armed);
    return armed;
  }
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

/**
 * The service and the way to it, as far as they matter to who sends what again: which effects are
 * there, which keys are remembered, what is still on its way, and the one thing that goes wrong. Part
 * of a derivation: nothing of it is measured.
 */
import type { ArmedFault } from './cell.ts';
import { type FaultFacts, faultTable, type Phase } from './fault-table.ts';

export interface PlayedEffect {
  /** The key it was made under, which is also its stamp. */
  readonly key: string;
}

/** `foreign`: a definite answer that speaks of somebody else's effect. `refused`: the service's own word that it did nothing. */
export type PlayedAnswer =
  | { readonly kind: 'landed'; readonly effect: PlayedEffect }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'none' };

export type PlayedLook =
  | { readonly kind: 'found'; readonly effect: PlayedEffect }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed' };

export interface PlayedServiceOptions {
  /** Whether a repeat under a remembered key adds nothing. */
  readonly dedupes: boolean;
  /** Whether it does once, by its own state, what it is asked for. */
  readonly onceByState: boolean;
  readonly fault: ArmedFault;
}

export class PlayedService {
  readonly effects: PlayedEffect[] = [];
  readonly #dedupes: boolean;
  readonly #onceByState: boolean;
  readonly #fault: ArmedFault;
  readonly #remembered = new Map<string, PlayedEffect>();
  readonly #late: string[] = [];
  #refuses = false;
  #phase: Phase | null = null;
  #fired = false;

  constructor({ dedupes, onceByState, fault }: PlayedServiceOptions) {
    this.#dedupes = dedupes;
    this.#onceByState = onceByState;
    this.#fault = fault;
  }

  /** From now on the fault strikes, if this is the phase it is meant for. */
  enter(phase: Phase): void {
    this.#phase = phase;
  }

  /** Whether a fault that is meant for this phase has found nothing to meet. */
  missed(phase: Phase): boolean {
    return this.#fault.fault !== 'none' && this.#fault.phase === phase && !this.#fired;
  }

  send(key: string): PlayedAnswer {
    const fault = this.#meet();
    if (fault === null) return this.#answer(key);
    switch (fault.landing) {
      case 'now':
        this.land(key);
        break;
      case 'later':
        this.landLater(key);
        break;
      case 'never':
        break;
      default:
        fault.landing satisfies never;
    }
    return { kind: this.#fault.fault === 'foreign-reply' ? 'foreign' : 'none' };
  }

  look(key: string): PlayedLook {
    // Whoever is first to connect meets what is wrong with connections.
    if (!this.#reachesNobody() && this.#struck()?.reached !== false) {
      const effect = this.effects.find((candidate) => candidate.key === key);
      return effect === undefined ? { kind: 'absent' } : { kind: 'found', effect };
    }
    this.#fired = true;
    return { kind: 'failed' };
  }

  land(key: string): void {
    const isKnown = this.#dedupes && this.#remembered.has(key);
    if (isKnown || this.#isShut()) return;
    const effect = { key };
    this.#remembered.set(key, effect);
    this.effects.push(effect);
  }

  landLater(key: string): void {
    this.#late.push(key);
  }

  landLate(): void {
    for (const key of this.#late.splice(0)) this.land(key);
  }

  /** From now on nothing takes effect here any more: what was asked for is done by others, or is not what it was. */
  refuse(): void {
    this.#refuses = true;
  }

  /** The window is over for every key it has seen. */
  forgetKeys(): void {
    this.#remembered.clear();
  }

  /** A repeat of what is there once is told of it only where it carries the stamp that is on it. */
  #answer(key: string): PlayedAnswer {
    this.land(key);
    const effect = this.effects.findLast((candidate) => candidate.key === key);
    return effect === undefined ? { kind: 'refused' } : { kind: 'landed', effect };
  }

  #isShut(): boolean {
    return this.#refuses || (this.#onceByState && this.effects.length > 0);
  }

  #meet(): FaultFacts | null {
    const fault = this.#struck();
    if (fault !== null) this.#fired = true;
    return fault;
  }

  #struck(): FaultFacts | null {
    if (this.#fault.fault === 'none') return null;
    const strikes = this.#fault.phase === this.#phase && !this.#fired;
    return strikes || this.#reachesNobody() ? faultTable[this.#fault.fault] : null;
  }

  #reachesNobody(): boolean {
    return this.#fired && this.#fault.fault === 'partition-forever';
  }
}

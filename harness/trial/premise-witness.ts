/**
 * The premises of a trial: captured before the first incarnation, as whoever decided would have, and
 * looked at again after the outage, past the subject's wire and with another credential.
 */
import type { RailNamespace } from '../../adapters/rail.ts';
import type { EffectTarget, JsonObject, Premise, PremiseCheck } from '../../adapters/target.ts';
import { HarnessError } from '../model/errors.ts';
import type { LoadedTarget } from './lab.ts';

export class PremiseWitness {
  readonly premises: readonly Premise[];
  readonly #hand: EffectTarget;
  readonly #request: JsonObject;

  private constructor(hand: EffectTarget, request: JsonObject, premises: readonly Premise[]) {
    this.#hand = hand;
    this.#request = request;
    this.premises = premises;
  }

  /** Throws HarnessError where the target captures nothing of these kinds. */
  static async capture(
    target: LoadedTarget,
    namespace: RailNamespace,
    wanted: { readonly request: JsonObject; readonly kinds: readonly Premise['kind'][] },
    options: JsonObject,
  ): Promise<PremiseWitness> {
    const hand = target.createTarget({
      endpoint: namespace.endpoint,
      credentials: namespace.personCredentials ?? namespace.credentials,
      options,
      now: Date.now,
    });
    try {
      const captured = await hand.capture(wanted.request);
      const premises = captured.filter(({ kind }) => wanted.kinds.includes(kind));
      if (premises.length === 0) {
        throw new HarnessError(
          'premises-uncaptured',
          `expected the target to capture premises of the kinds ${wanted.kinds.join(', ')}, which it declares; it captured ${captured.map(({ kind, fact }) => `${kind} of ${fact}`).join(', ') || 'nothing'}`,
        );
      }
      return new PremiseWitness(hand, wanted.request, premises);
    } catch (error) {
      await hand.close?.();
      if (error instanceof HarnessError) throw error;
      throw new HarnessError(
        'premises-uncaptured',
        `the premises can't be captured: ${String(error)}`,
        error,
      );
    }
  }

  /** `ownStamp`: the stamp of the subject's effect, null while there is none. */
  async check(ownStamp: string | null): Promise<PremiseCheck['kind']> {
    const key = ownStamp ?? 'no effect of the subject is there';
    return (await this.#hand.validate(this.#request, this.premises, key)).kind;
  }

  async close(): Promise<void> {
    await this.#hand.close?.();
  }
}

/**
 * The facts that decisions rely on, compared with what was captured. In: the facts as a service shows
 * them now, and the premises of a decision. Out: whether they hold. Our own effects count as no change,
 * whether or not they were there when the premises were captured. Reads nothing itself.
 */
import type { JsonValue, Premise, PremiseCheck } from './target.ts';

/** `value` is what a decision made now would capture. */
export interface Fact extends Premise {
  compare(captured: JsonValue): Comparison;
}

export type Comparison =
  | { readonly kind: 'same' }
  /** `found` is what it is now without our own effects. */
  | { readonly kind: 'changed'; readonly found: JsonValue }
  /** Not a value this target captures, or what was read is older than it. */
  | { readonly kind: 'could-not-tell'; readonly why: string };

/** What a value would be if none of our own effects had been made, and if each stood. */
export interface WithoutAndWith<Value> {
  readonly without: Value;
  readonly with: Value;
}

/**
 * A fact that our own effects may move. It is not known whether they were there when it was captured,
 * so that it holds when the captured value is one it has with them or without. Somebody else's effect
 * of just the size of ours is therefore missed by a value captured when ours was there, and told by a
 * version.
 */
export function valueFact<Value extends string | number | boolean>(
  fact: string,
  value: Value,
  ours: WithoutAndWith<Value> = { without: value, with: value },
): Fact {
  return {
    kind: 'value-equals',
    fact,
    value,
    compare: (captured) =>
      captured === value || captured === ours.without || captured === ours.with
        ? { kind: 'same' }
        : { kind: 'changed', found: ours.without },
  };
}

export function toPremises(facts: readonly Fact[]): readonly Premise[] {
  return facts.map(({ kind, fact, value }) => ({ kind, fact, value }));
}

/** What could not be told of one premise goes before the staleness of another: it may be told of an old reading. */
export function checkFacts(facts: readonly Fact[], premises: readonly Premise[]): PremiseCheck {
  let check: PremiseCheck = { kind: 'hold' };
  for (const { kind, fact, value } of premises) {
    const shown = facts.find((known) => known.kind === kind && known.fact === fact);
    if (shown === undefined) {
      const known = facts.map((each) => `${each.kind} of ${each.fact}`).join(', ');
      const detail = `This target can check ${known}; asked was ${kind} of ${fact}. Use the premises it captured.`;
      return { kind: 'could-not-tell', detail };
    }
    const comparison = shown.compare(value);
    switch (comparison.kind) {
      case 'same':
        break;
      case 'changed':
        if (check.kind === 'hold') {
          check = { kind: 'stale', fact, expected: value, found: comparison.found };
        }
        break;
      case 'could-not-tell':
        return { kind: 'could-not-tell', detail: `${fact}: ${comparison.why}` };
      default:
        return comparison satisfies never;
    }
  }
  return check;
}

/**
 * A plan dealt into shards: every planned trial in exactly one of them, every excluded cell in exactly
 * one, and nothing but the plan says in which. Pure.
 *
 * Trials are dealt in the plan's order, in rounds of one for each shard, so that no shard has more than
 * one above another and slow kinds, which stand together in a plan, are spread over all. In each round
 * the shards take turns in an order of its own: the last axis of a plan comes round every few trials,
 * and dealt in a fixed order one shard of three would get all the storms.
 */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { UsageError } from '../model/errors.ts';
import type { Plan } from './plan.ts';

export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** `2/3`, as it is typed. */
export function formatShard({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** Throws UsageError where a shard would be left without a trial: it could show nothing, and would not be green. */
export function shardOf(plan: Plan, shard: Shard): Plan {
  const most = Math.max(1, plan.trials.length);
  if (shard.count > most) {
    throw new UsageError(
      `expected at most as many shards as the plan has trials, got ${shard.count} for ${plan.trials.length}; deal it into ${most} at most, like --shard 1/${most}`,
    );
  }
  return {
    ...plan,
    trials: dealTo(plan.trials, shard),
    excluded: dealTo(plan.excluded, shard),
  };
}

/** What one shard gets, in the order in which it was dealt. */
export function dealTo<T>(items: readonly T[], { index, count }: Shard): readonly T[] {
  const turns = turnsOf(items.length, count);
  return items.filter((_, place) => turns[place] === index);
}

/**
 * Hands put together again, in the order in which they were dealt; the first is shard 1's. Undefined
 * where they were not dealt like this.
 */
export function putTogether<T>(hands: readonly (readonly T[])[]): readonly T[] | undefined {
  const total = hands.reduce((sum, hand) => sum + hand.length, 0);
  const taken = hands.map(() => 0);
  const items: T[] = [];
  for (const index of turnsOf(total, hands.length)) {
    const hand = hands[index - 1] ?? [];
    const next = taken[index - 1] ?? 0;
    if (next >= hand.length) return undefined;
    items.push(hand[next] as T);
    taken[index - 1] = next + 1;
  }
  return items;
}

/** For each place from the first to the last, whose turn it is; the order of each round is drawn. */
function turnsOf(places: number, count: number): readonly number[] {
  const generator = xoroshiro128plus(count);
  const turns: number[] = [];
  while (turns.length < places) {
    const left = Array.from({ length: count }, (_, place) => place + 1);
    while (left.length > 0)
      turns.push(...left.splice(uniformInt(generator, 0, left.length - 1), 1));
  }
  return turns.slice(0, places);
}

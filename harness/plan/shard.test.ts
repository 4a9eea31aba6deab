import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, formatCellId } from '../model/cell.ts';
import { UsageError } from '../model/errors.ts';
import type { Plan } from './plan.ts';
import { planTrial } from './plan.ts';
import { dealTo, putTogether, shardOf } from './shard.ts';

const cell: Cell = {
  gate: 'reference',
  target: 'stripe.keyed',
  kill: 'during_call:now',
  recoveryKills: [],
  fault: { fault: 'none' },
  world: 'none',
  caller: 'same-again',
};

/** As many trials and excluded cells as told, each with an id of its own. */
function planOf(trials: number, excluded: number): Plan {
  return {
    matrix: 'sample',
    title: 'A sample',
    seed: 7,
    trials: Array.from({ length: trials }, (_, place) => planTrial(cell, place + 1, 7)),
    excluded: Array.from({ length: excluded }, (_, place) => {
      const ofAnother: Cell = { ...cell, target: `stripe.t${place}` };
      const id = formatCellId(ofAnother);
      return { id, cell: ofAnother, kind: 'cannot-meet' as const, reason: 'cannot-meet: so' };
    }),
  };
}

const anyPlan = fc.record({
  trials: fc.integer({ min: 1, max: 200 }),
  excluded: fc.integer({ min: 0, max: 200 }),
  count: fc.integer({ min: 1, max: 12 }),
});

function shardsOf({
  trials,
  excluded,
  count,
}: {
  trials: number;
  excluded: number;
  count: number;
}) {
  const plan = planOf(trials, excluded);
  const shards = Array.from({ length: count }, (_, place) =>
    shardOf(plan, { index: place + 1, count }),
  );
  return { plan, shards };
}

describe('the shards of any plan', () => {
  it('hold every trial and every excluded cell exactly once, as it was planned', () => {
    fc.assert(
      fc.property(anyPlan, (size) => {
        fc.pre(size.count <= size.trials);
        const { plan, shards } = shardsOf(size);
        const byId = (left: { id: string }, right: { id: string }) =>
          left.id < right.id ? -1 : Number(left.id > right.id);
        for (const part of ['trials', 'excluded'] as const) {
          const all = shards.flatMap((shard) => [...shard[part]] as { id: string }[]);
          expect(all.toSorted(byId)).toEqual(([...plan[part]] as { id: string }[]).toSorted(byId));
        }
      }),
    );
  });
  it('differ by at most one trial and one excluded cell', () => {
    fc.assert(
      fc.property(anyPlan, (size) => {
        fc.pre(size.count <= size.trials);
        const { shards } = shardsOf(size);
        for (const part of ['trials', 'excluded'] as const) {
          const sizes = shards.map((shard) => shard[part].length);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
  it('are put together again in the plan’s order', () => {
    fc.assert(
      fc.property(anyPlan, (size) => {
        fc.pre(size.count <= size.trials);
        const { plan, shards } = shardsOf(size);
        expect(putTogether(shards.map(({ trials }) => trials))).toEqual(plan.trials);
        expect(putTogether(shards.map(({ excluded }) => excluded))).toEqual(plan.excluded);
      }),
    );
  });
  it('each get their part of every stretch of the plan, and of what comes round every few trials', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 2, max: 8 }),
        (count, period) => {
          const items = Array.from({ length: 1_200 }, (_, place) => place);
          const slow = items.filter((place) => place % period === 0).length / count;
          for (let index = 1; index <= count; index += 1) {
            const hand = dealTo(items, { index, count });
            const early = hand.filter((place) => place < 400).length;
            expect(Math.abs(early - 400 / count)).toBeLessThanOrEqual(1);
            const own = hand.filter((place) => place % period === 0).length;
            expect(own).toBeGreaterThan(slow / 2);
            expect(own).toBeLessThan(slow * 1.5);
          }
        },
      ),
    );
  });
});

describe('a plan', () => {
  it.each([5, 0])('of %i trials is its own only shard', (trials) => {
    const plan = planOf(trials, 2);
    expect(shardOf(plan, { index: 1, count: 1 })).toEqual(plan);
  });
  it('with fewer trials than shards is refused with how many there can be', () => {
    expect(() => shardOf(planOf(2, 9), { index: 1, count: 3 })).toThrow(UsageError);
    expect(() => shardOf(planOf(2, 9), { index: 1, count: 3 })).toThrow(
      /got 3 for 2; deal it into 2/,
    );
  });
  it('is not put together from what was dealt otherwise', () => {
    expect(putTogether([[1, 2, 3], []])).toBeUndefined();
  });
});

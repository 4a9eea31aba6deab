import { describe, expect, it } from 'vitest';
import type { Results, TrialRecord } from '../model/results.ts';
import { dealTo } from '../plan/shard.ts';
import { exitCodeOf } from './exit-code.ts';
import { mergeResults, type StoredShard } from './merge.ts';
import { hashPlanOfRecords } from './plan-hash.ts';
import {
  sampleCell,
  sampleCondemned,
  sampleExcluded,
  sampleNotRun,
  sampleRecord,
  sampleResults,
} from './testing/sample.ts';

const trials = [
  ...Array.from({ length: 9 }, (_, place) => sampleRecord({ id: `${sampleCell}/${place + 1}` })),
  sampleCondemned(),
];
const excluded = ['lookup', 'blind', 'keyed'].map((variant) =>
  sampleExcluded({ id: sampleExcluded().id.replace('stripe.keyed', `stripe.${variant}`) }),
);
const command = 'npx killpoint run sample --seed 9';

/** The shards of these records, as runs would have stored them. */
function shardsOf(planned: readonly TrialRecord[], count = 3): StoredShard[] {
  return Array.from({ length: count }, (_, place) => {
    const hand = { index: place + 1, count };
    const records = [
      ...dealTo(
        planned.filter(({ verdict }) => verdict !== 'excluded'),
        hand,
      ),
      ...dealTo(
        planned.filter(({ verdict }) => verdict === 'excluded'),
        hand,
      ),
    ];
    const results = sampleResults(records, {
      startedAt: `2025-06-01T00:0${9 - place}:00.000Z`,
      workers: 2 + place,
      command: `${command} --shard ${place + 1}/${count}`,
    });
    const shard = { ...hand, idsSha256: hashPlanOfRecords(planned), command };
    const share = { matrix: 'full', trials: 2, of: 100 };
    return {
      folder: `shard-${place + 1}`,
      results: { ...results, plan: { ...results.plan, shard, share } },
    };
  });
}

const all = [...trials, ...excluded];

function changed(index: number, change: (results: Results) => Results): StoredShard[] {
  return shardsOf(all).map((shard, place) =>
    place === index ? { ...shard, results: change(shard.results) } : shard,
  );
}

describe('shards put together', () => {
  it('are the whole run in everything but times, workers and memory, in any order', () => {
    const merged = mergeResults(shardsOf(all).reverse());
    const whole = sampleResults(all);
    const ofRun = { startedAt: '', durationMs: 0, workers: 0, memory: null };
    expect({ ...merged, ...ofRun }).toEqual({
      ...whole,
      ...ofRun,
      plan: { ...whole.plan, share: { matrix: 'full', trials: 6, of: 100 } },
    });
    expect(exitCodeOf(merged)).toBe(0);
  });
  it('took as long as all of them, since the first began', () => {
    const merged = mergeResults(shardsOf(all));
    expect(merged).toMatchObject({
      startedAt: '2025-06-01T00:07:00.000Z',
      durationMs: 3 * 1234,
      workers: 4,
      memory: null,
    });
  });
  it('count what one of them did not run, and exit as the run would have', () => {
    const [first, ...others] = trials;
    const planned = [sampleNotRun({ id: first?.id ?? '' }), ...others];
    const shards = shardsOf(planned).map(({ folder, results }) => ({
      folder,
      results: { ...results, finished: results.counts.notRun === 0 },
    }));
    const merged = mergeResults(shards);
    expect(merged.counts).toMatchObject({ planned: 10, notRun: 1, holds: 8, violated: 1 });
    expect(merged.finished).toBe(false);
    expect(exitCodeOf(merged)).toBe(2);
  });
});

describe('shards are refused', () => {
  it.each([
    [
      'seed',
      (results: Results) => ({ ...results, seed: 10 }),
      /the seed: 9 in shard-1, 10 in shard-2/,
    ],
    ['matrix', (results: Results) => ({ ...results, matrix: 'other' }), /the matrix: "sample"/],
    [
      'version',
      (results: Results) => ({ ...results, tool: { ...results.tool, version: '9.9.9' } }),
      /the version of Killpoint: "0\.0\.0" in shard-1, "9\.9\.9" in shard-2/,
    ],
    [
      'plan',
      ({ plan, ...results }: Results) => ({
        ...results,
        plan: { ...plan, shard: plan.shard && { ...plan.shard, idsSha256: 'bb' } },
      }),
      /the planned ids/,
    ],
    [
      'gates',
      (results: Results) => ({ ...results, gates: results.gates.slice(1) }),
      /the gates: .* in shard-1, .* in shard-2/,
    ],
    [
      'Node',
      (results: Results) => ({
        ...results,
        environment: { ...results.environment, node: 'v22.0.0' },
      }),
      /Node: "v20\.19\.0" in shard-1, "v22\.0\.0" in shard-2/,
    ],
  ])('that differ in %s', (_, change, message) => {
    expect(() => mergeResults(changed(1, change))).toThrow(message);
  });
  it('when one is missing, by its number and with the command that runs it', () => {
    expect(() => mergeResults(shardsOf(all).slice(0, 2))).toThrow(
      /all 3 shards, got 2; missing: 3\/3; .*\(npx killpoint run sample --seed 9 --shard 3\/3\)/,
    );
  });
  it('when one is there twice, with both folders', () => {
    const shards = shardsOf(all);
    const again = { ...(shards[0] as StoredShard), folder: 'copy' };
    expect(() => mergeResults([...shards, again])).toThrow(/got 1\/3 in shard-1 and in copy/);
  });
  it('when one is the whole plan', () => {
    const whole = { folder: 'whole', results: sampleResults(all) };
    expect(() => mergeResults([...shardsOf(all), whole])).toThrow(
      /a shard in whole, got the whole/,
    );
  });
  it('when a record was taken out, or called excluded', () => {
    const without = (results: Results) => ({ ...results, trials: results.trials.slice(1) });
    const excludedNow = (results: Results) => ({
      ...results,
      trials: results.trials.map((record, place) =>
        place === 0 ? { ...record, verdict: 'excluded' as const } : record,
      ),
    });
    for (const change of [without, excludedNow]) {
      expect(() => mergeResults(changed(0, change))).toThrow(/records that make up the plan/);
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { Matrix } from '../model/matrix.ts';
import type { Results } from '../model/results.ts';
import { expandMatrix } from '../plan/plan.ts';
import { shardOf } from '../plan/shard.ts';
import { comparePlan, compareRun } from './compare-run.ts';
import { countRecords } from './counts.ts';
import { hashPlan } from './plan-hash.ts';
import { entriesOf } from './subjects.ts';
import {
  sampleExcluded,
  sampleGates,
  sampleNotRun,
  sampleRecord,
  sampleResults,
  sampleSeed,
  sampleTargets,
} from './testing/sample.ts';

const stored = sampleRecord();
const kinds = (results: Results) => compareRun(results).map(({ kind }) => kind);

describe('stored results by themselves', () => {
  it('agree when they were assembled from their records', () => {
    expect(compareRun(sampleResults([stored]))).toEqual([]);
  });
  it('differ when a count was touched', () => {
    const results = sampleResults([stored]);
    const counts = { ...results.counts, holds: 2 };
    expect(compareRun({ ...results, counts })).toEqual([
      {
        kind: 'counts-differ',
        about: null,
        message: 'counts.holds: stored 2, the records give 1',
      },
    ]);
  });
  it('differ when a blind spot was taken out', () => {
    expect(kinds({ ...sampleResults([]), blindSpots: [] })).toEqual(['blind-spots-differ']);
  });
  it('differ when a trial is listed twice', () => {
    expect(kinds(sampleResults([stored, stored]))).toEqual(['listed-twice']);
  });
  it('differ when they are called finished and a trial is not run', () => {
    const results = sampleResults([stored, sampleNotRun({ id: stored.id.replace(/1$/, '2') })]);
    expect(kinds(results)).toEqual(['finished-differs']);
  });
  it('differ when a record was taken out together with its count', () => {
    const whole = sampleResults([stored, sampleRecord({ id: stored.id.replace(/1$/, '2') })]);
    const trials = whole.trials.slice(0, 1);
    expect(kinds({ ...whole, trials, counts: countRecords(trials) })).toEqual(['trials-differ']);
  });
  it('differ when a trial was made an excluded one, or two changed places', () => {
    const whole = sampleResults([stored, sampleRecord({ id: stored.id.replace(/1$/, '2') })]);
    const [first = stored, second = stored] = whole.trials;
    expect(kinds({ ...whole, trials: [second, first] })).toEqual(['trials-differ']);
    const trials = [first, sampleExcluded({ id: second.id })];
    expect(kinds({ ...whole, trials, counts: countRecords(trials) })).toEqual(['trials-differ']);
  });
});

describe('stored results and the matrix they name', () => {
  const matrix: Matrix = {
    name: 'sample',
    title: 'Two kills',
    seed: 1,
    slices: [
      {
        gates: ['reference', 'naive'],
        targets: ['stripe.keyed', 'stripe.blind'],
        kills: ['before_wal', 'during_call:now'],
        faults: ['none', 'reply-lost@first-send'],
        worlds: ['none'],
        callers: ['same-again'],
        trialsPerCell: 1,
      },
    ],
    exclusions: [],
    cannotMeet: 8,
  };
  const entries = entriesOf({ gates: sampleGates, targets: sampleTargets });
  const plan = expandMatrix({ matrix, ...entries, seed: sampleSeed, trialsPerCell: 2 });
  const results = sampleResults(
    [
      ...plan.trials.map(({ id }) => sampleRecord({ id })),
      ...plan.excluded.map(({ id, reason }) => sampleExcluded({ id, reason })),
    ],
    {
      plan: {
        from: 'package',
        trialsPerCell: 2,
        exclusions: [],
        idsSha256: '',
        shard: null,
        share: null,
      },
    },
  );

  it('agree when the plan comes out the same', () => {
    expect(comparePlan(results, matrix)).toEqual({ differences: [], skipped: null });
  });
  it('differ when a trial is gone, whatever hash is stored', () => {
    const [gone, ...trials] = results.trials;
    const { differences } = comparePlan({ ...results, trials }, matrix);
    expect(differences).toEqual([
      {
        kind: 'plan-differs',
        about: null,
        message: `the matrix sample plans 16 trials and 8 excluded cells; 1 have no record, such as ${gone?.id}`,
      },
    ]);
  });
  it('differ when a record is of none of its trials', () => {
    const extra = sampleRecord({ id: sampleRecord().id.replace(/1$/, '3') });
    const { differences } = comparePlan({ ...results, trials: [...results.trials, extra] }, matrix);
    expect(differences[0]?.message).toContain(`1 records are of none of them, such as ${extra.id}`);
  });
  it('differ when the matrix names a gate they do not know', () => {
    const { differences } = comparePlan({ ...results, gates: sampleGates.slice(0, 1) }, matrix);
    expect(differences[0]?.message).toContain('do not know: naive');
  });
  const shard = { index: 2, count: 3 };
  const dealt = shardOf(plan, shard);
  const ofShard = (idsSha256: string) => {
    const command = 'npx killpoint run sample';
    const isDealt = new Set([...dealt.trials, ...dealt.excluded].map(({ id }) => id));
    return {
      ...results,
      plan: { ...results.plan, shard: { ...shard, idsSha256, command } },
      trials: results.trials.filter(({ id }) => isDealt.has(id)),
    };
  };
  it('agree when they are a shard of what comes out', () => {
    expect(comparePlan(ofShard(hashPlan(plan)), matrix).differences).toEqual([]);
  });
  it('differ when a shard holds what another should, or is of another plan', () => {
    const other = ofShard(hashPlan(plan));
    other.plan.shard.index = 3;
    expect(comparePlan(other, matrix).differences[0]?.message).toContain('in shard 3/3; ');
    const [difference] = comparePlan(ofShard('bb'), matrix).differences;
    expect(difference?.message).toContain(
      'plans other trials than the plan that this is shard 2/3',
    );
  });
  it('are not compared where the matrix does not fit its own number, and that is said', () => {
    const { differences, skipped } = comparePlan(results, { ...matrix, cannotMeet: 7 });
    expect(differences).toEqual([]);
    expect(skipped).toContain('the plan was not compared: matrix sample: it pins 7');
  });
});

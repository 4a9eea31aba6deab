/** What a run with many targets says at its end, and what results say of the plan they are a part of. */
import { describe, expect, it } from 'vitest';
import { killPointNames } from '../model/kill-points.ts';
import type { Results } from '../model/results.ts';
import { sampleRecord, sampleResults } from '../results/testing/sample.ts';
import { renderMarkdown } from './markdown.ts';
import { renderTerminal } from './terminal.ts';

const terminal = (results: Results) => renderTerminal(results, { width: 160, colour: false });

const manyTargets = Array.from({ length: 12 }, (_, place) => `service.variant-${place}`);

/** Every kill point of a dozen targets, the first of them as told. */
function manyRecords(first: Parameters<typeof sampleRecord>[0] = {}) {
  const [, ...others] = manyTargets.flatMap((target) =>
    killPointNames.map((kill) =>
      sampleRecord({ id: `reference/${target}/${kill}/none/none/same-again/1` }),
    ),
  );
  const id = `reference/${manyTargets[0]}/${killPointNames[0]}/none/none/same-again/1`;
  return [sampleRecord({ ...first, id }), ...others];
}

describe('the summary of many targets', () => {
  it('has one row for each gate and target, and says where the kill points stand', () => {
    const text = terminal(sampleResults(manyRecords()));
    const rows = text.split('\n').filter((line) => line.startsWith('│ reference'));
    expect(rows).toHaveLength(manyTargets.length);
    expect(text).toContain(`All ${12 * killPointNames.length} kill points`);
    expect(text).not.toContain('To look at:');
  });
  it('shows below them the kill points that have to be looked at, and no others', () => {
    const unmet = { verdict: 'inconclusive', meetsExpectation: false } as const;
    const text = terminal(sampleResults(manyRecords(unmet)));
    const rows = text.split('\n').filter((line) => line.startsWith('│ reference'));
    expect(rows).toHaveLength(manyTargets.length + 1);
    expect(rows[0]).toMatch(/service\.variant-0 .*│ 7 +│ 6 +│ 0 +│ 1 +│ proves nothing yet/);
    expect(rows.at(-1)).toContain(killPointNames[0]);
  });
  it('is in the markdown too, where every target has a table of kill points of its own', () => {
    const text = renderMarkdown(sampleResults(manyRecords()));
    expect(text).toContain('| reference | service.variant-3 | 7 | 7 | 7 | 0 | 0 | 0 | holds |');
    for (const target of manyTargets) expect(text).toContain(`### ${target}\n\n| killed at |`);
  });
});

describe('what results are a part of', () => {
  const { plan } = sampleResults([sampleRecord()]);
  const withPlan = (changes: Partial<Results['plan']>) =>
    sampleResults([sampleRecord()], { plan: { ...plan, ...changes } });

  it.each([
    [558, 5103, '558 of 5,103 trials of the full plan (11 %)'],
    [1, 5103, '1 of 5,103 trials of the full plan (less than 1 %)'],
    [0, 5103, '0 of 5,103 trials of the full plan (0 %)'],
    [5102, 5103, '5,102 of 5,103 trials of the full plan (more than 99 %)'],
    [5103, 5103, '5,103 of 5,103 trials of the full plan (100 %)'],
  ])(
    '%i of %i trials of the full plan are said in the terminal and in markdown',
    (trials, of, line) => {
      const results = withPlan({ share: { matrix: 'full', trials, of } });
      expect(terminal(results)).toContain(line);
      expect(renderMarkdown(results)).toContain(line);
    },
  );
  it('is not spoken of where there is nothing to say', () => {
    for (const text of [terminal(withPlan({})), renderMarkdown(withPlan({}))]) {
      expect(text).not.toMatch(/of the .* plan|shard/i);
    }
  });
  it('a shard is called one, and what others tried is not called missing', () => {
    const shard = { index: 2, count: 3, idsSha256: 'aa', command: 'npx killpoint run sample' };
    const results = withPlan({ shard });
    expect(terminal(results)).toContain('shard 2/3: one part of the plan');
    const text = renderMarkdown(results);
    expect(text).toContain('Shard 2/3: one part of the plan that `npx killpoint run sample` runs');
    expect(text).not.toContain('MISSING');
    expect(renderMarkdown(withPlan({}))).toContain('MISSING');
  });
});

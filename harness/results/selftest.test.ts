import { describe, expect, it } from 'vitest';
import type { FindingName } from '../model/findings.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { selftestSchema } from '../model/selftest.ts';
import type { BrokenPart } from '../plan/broken-parts.ts';
import { renderSelftest, renderSelftestTerminal } from '../reports/selftest.ts';
import { exitCodeOfSelftest, readSelftest } from './selftest.ts';

const cell = 'broken/stripe.keyed/during_call:now/none/none/same-again';
const soundCell = 'reference/stripe.keyed/during_call:now/none/none/same-again';
const part: BrokenPart = {
  kind: 'gate',
  name: 'broken',
  about: 'does what it must not',
  lacks: 'stable-key',
  finding: 'two-effects',
  cells: [{ cell, findings: ['two-effects'] }],
};

interface Trial {
  readonly cell: string;
  readonly verdict?: TrialRecord['verdict'];
  readonly found?: readonly FindingName[];
}

function selftestOf(trials: readonly Trial[], finished = true) {
  const records = trials.map(({ cell: of, verdict, found = [] }) => ({
    id: `${of}/1`,
    seed: 5,
    verdict: verdict ?? (found.length > 0 ? 'violated' : 'holds'),
    expectedFindings: of === cell ? ['two-effects'] : [],
    findings: found.map((finding) => ({ finding, message: 'seen' })),
    historySha256: null,
  }));
  const results = {
    tool: { name: 'killpoint', version: '1.0.0' },
    seed: 5,
    durationMs: 1000,
    finished,
    trials: records,
  } as unknown as Results;
  const selftest = readSelftest({ results, parts: [part], command: 'killpoint selftest' });
  return selftestSchema.parse(selftest);
}

const condemned: Trial = { cell, found: ['two-effects'] };

describe('a selftest', () => {
  it('is good when what is broken is condemned for what it declares, and nothing else is', () => {
    const selftest = selftestOf([condemned, { cell: soundCell }]);
    expect(selftest).toMatchObject({
      sensitivity: { condemned: 1, of: 1 },
      specificity: { trials: 1, falseFindings: [], inconclusive: [] },
      broken: [{ standing: 'condemned', shownBy: cell, cellsTried: 1 }],
    });
    expect(exitCodeOfSelftest(selftest)).toBe(0);
  });

  it.each([
    ['holds', [], 'not-condemned'],
    ['was condemned for something else alone', ['phantom'], 'not-condemned'],
    ['was condemned for more than it declares', ['two-effects', 'phantom'], 'wrong-reason'],
  ] as const)('is bad when what is broken %s', (_what, found, standing) => {
    const selftest = selftestOf([{ cell, found }]);
    expect(selftest.broken[0]?.standing).toBe(standing);
    expect(selftest.sensitivity).toEqual({ condemned: 0, of: 1 });
    expect(exitCodeOfSelftest(selftest)).toBe(1);
  });

  it('is bad when what is sound is condemned', () => {
    const selftest = selftestOf([condemned, { cell: soundCell, found: ['phantom'] }]);
    expect(selftest.specificity.falseFindings).toEqual([
      { id: `${soundCell}/1`, seed: 5, found: ['phantom'] },
    ]);
    expect(exitCodeOfSelftest(selftest)).toBe(1);
    expect(renderSelftest(selftest)).toContain('## Found against what is sound');
  });

  it.each([
    ['a broken part proved nothing', [{ cell, verdict: 'inconclusive' }]],
    ['a broken part was not tried', [{ cell: soundCell }]],
    ['a sound trial proved nothing', [condemned, { cell: soundCell, verdict: 'not-run' }]],
  ] as const)('shows nothing when %s', (_what, trials) => {
    expect(exitCodeOfSelftest(selftestOf(trials))).toBe(2);
  });

  it('shows nothing when it was interrupted', () => {
    expect(exitCodeOfSelftest(selftestOf([condemned], false))).toBe(2);
  });

  it('says both numbers, and of what is wrong every trial', () => {
    const selftest = selftestOf([{ cell, found: ['two-effects', 'phantom'] }]);
    const text = renderSelftestTerminal(selftest, { width: 200 });
    expect(text).toContain('sensitivity: 0 of 1 broken parts condemned');
    expect(text).toContain('specificity: 0 false findings in 0 trials');
    expect(text).toContain('declared two-effects, found two-effects, phantom');
  });
});

import { describe, expect, it } from 'vitest';
import { loadBuiltIn } from './command-line.ts';
import { judgeGoals } from './goals.ts';
import { measure, quickAmounts } from './measure.ts';
import { startedTogether } from './mix.ts';
import { quantilesOf } from './quantiles.ts';
import { renderReport } from './render.ts';

describe('a quick bench', () => {
  it('measures every figure, each with the samples it says it has', async () => {
    const notes: string[] = [];
    const report = await measure({
      ...(await loadBuiltIn()),
      amounts: quickAmounts,
      quick: true,
      workers: 2,
      seed: 1,
      note: (text) => notes.push(text),
    });

    const { trials, blocks, starts, recoveryTrialsPerPoint, effects, intents, recoveriesAtSize } =
      quickAmounts;
    const startsMade = Math.round(report.startsPerTrial * trials);
    expect(report.samples).toEqual({
      trialsPerSecond: trials,
      subjectFloorPerSecond: startsMade,
      emptyFloorPerSecond: startsMade,
      ratio: blocks,
      harnessCpuMsPerTrial: trials - blocks,
      subjectStartMs: starts,
      emptyStartMs: starts,
    });
    expect(report.startsPerTrial).toBeGreaterThanOrEqual(3);
    expect(report.trialsUnmet).toBe(0);
    for (const figure of [
      report.trialsPerSecond,
      report.subjectFloorPerSecond,
      report.emptyFloorPerSecond,
      report.ratio,
      report.harnessCpuMsPerTrial,
      report.subjectStartMs,
      report.startRatio,
    ]) {
      expect(figure).toBeGreaterThan(0);
    }
    expect(report.gateLatencyMs).toMatchObject({
      samples: effects,
      with: { samples: effects },
      without: { samples: effects },
    });
    expect(report.recoveryMs.samples).toBe(5 * recoveryTrialsPerPoint);
    expect(report.restartMs.samples).toBe(5 * recoveryTrialsPerPoint);
    expect(report.restartMs.p50).toBeGreaterThan(report.recoveryMs.p50);
    expect(report.at1MIntents).toMatchObject({
      intents,
      intentsAsked: intents,
      verified: { verdict: 'holds' },
      gateLatencyMs: { samples: effects },
      recoveryMs: { samples: recoveriesAtSize },
      empty: { gateLatencyMs: { samples: effects }, recoveryMs: { samples: recoveriesAtSize } },
    });
    expect(notes).not.toEqual([]);

    const text = renderReport(report);
    for (const { goal } of judgeGoals(report)) expect(text).toContain(goal.about);
    // 500 intents say nothing of a million, whatever was measured.
    const atSize = judgeGoals(report).filter(({ goal }) => goal.demand.includes('1,000,000'));
    expect(atSize.map(({ met }) => met)).toEqual([false, false]);
  }, 120_000);
});

describe('what the figures are made of', () => {
  it('takes quantiles by nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(quantilesOf(values)).toEqual({ p50: 100, p99: 198, samples: 200 });
    expect(quantilesOf([7])).toEqual({ p50: 7, p99: 7, samples: 1 });
    expect(() => quantilesOf([])).toThrow('at least one');
  });

  it('starts the processes of a storm side by side and the others in turn', () => {
    const roles = ['first', 'recovery', 'storm', 'storm', 'observer'] as const;
    const groups = startedTogether(roles.map((role) => ({ role, end: 'stopped' as const })));
    expect(groups.map((group) => group.map(({ role }) => role))).toEqual([
      ['first'],
      ['recovery'],
      ['storm', 'storm'],
      ['observer'],
    ]);
  });
});

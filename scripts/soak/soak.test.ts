import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { named } from '../../harness/plan/plan.ts';
import { planIds } from '../../harness/plan/plan-ids.ts';
import { historiesFolder, historyPath } from '../../harness/results/history-path.ts';
import { loadBuiltIn } from '../bench/command-line.ts';
import { drawBatches, reachableCells } from './draw-trials.ts';
import { exitCodeOf, renderHoldings, renderSoak } from './render.ts';
import { runSoak, type SoakOptions } from './run-soak.ts';

const { parts } = await loadBuiltIn();
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('a soak', () => {
  it('runs random trials, deletes what it need not keep and leaves nothing running', async () => {
    const told: string[] = [];
    const options = soakOf({
      trials: 10,
      batchSize: 5,
      intervalMs: 0,
      onHoldings: (holdings, trials) => told.push(renderHoldings(holdings, trials)),
    });
    const outcome = await runSoak(options);

    expect(outcome.unmet).toEqual([]);
    expect(outcome).toMatchObject({ end: 'enough-trials', trials: 10 });
    expect(exitCodeOf(outcome)).toBe(0);
    expect(outcome.first).toMatchObject({ trials: 5, subjects: 0 });
    expect(outcome.last).toMatchObject({ trials: 10, subjects: 0, files: 0 });
    expect(outcome.last.children).toBe(outcome.first.children);
    expect(readdirSync(join(options.outDir, historiesFolder))).toEqual([]);
    expect(told).toEqual([expect.stringMatching(/^5 trials: memory, MiB \d/)]);
    expect(renderSoak(outcome, options.seed)).toContain('seed 7');
  }, 60_000);

  it('stops at the first trial that is unmet, keeps its history and says how to see it again', async () => {
    const naive = named(parts.gates, 'naive', 'gate');
    const unsound = { ...parts, gates: [{ ...naive, name: 'reference', lacks: [] }] };
    const options = soakOf({ parts: unsound, trials: 200, batchSize: 100 });
    const outcome = await runSoak(options);

    expect(outcome.end).toBe('unmet');
    expect(outcome.trials).toBeLessThan(200);
    const conclusive = outcome.unmet.some(({ verdict }) => verdict === 'violated');
    expect(exitCodeOf(outcome)).toBe(conclusive ? 1 : 2);
    const [first] = outcome.unmet;
    expect(existsSync(historyPath(options.outDir, first?.id ?? ''))).toBe(true);
    expect(renderSoak(outcome, options.seed)).toContain(`npx killpoint run ${first?.id} --seed 7`);
  }, 60_000);

  it('stops when it is told to, and that is not a success', async () => {
    const stop = new AbortController();
    const soaking = runSoak(soakOf({ signal: stop.signal }));
    setTimeout(() => stop.abort(), 2_500);
    const outcome = await soaking;
    expect(outcome.end).toBe('interrupted');
    expect(outcome.last.subjects).toBe(0);
    expect(exitCodeOf(outcome)).toBe(2);
  }, 60_000);
});

describe('random trials', () => {
  const cells = reachableCells(named(parts.gates, 'reference', 'gate'), parts.targets);

  it('are the same for the same seed, over every target that can be run here', () => {
    const draw = (seed: number) => drawBatches(cells, { seed, size: 200 }).next().value;
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
    expect(new Set(draw(3).map(({ id }) => id)).size).toBe(200);
    expect(new Set(draw(3).map(({ cell }) => cell.target))).toEqual(
      new Set(
        parts.targets.filter((target) => target.railUnavailable === null).map(({ name }) => name),
      ),
    );
  });

  it('come back whole from their id and the seed of the soak', () => {
    const seed = 3_000_000_007;
    const batch = drawBatches(cells, { seed, size: 50 }).next().value;
    const ids = batch.map(({ id }) => id);
    expect(planIds({ ...parts, ids, trialsPerCell: 1, seed }).trials).toEqual(batch);
  });
});

function soakOf(given: Partial<SoakOptions>): SoakOptions {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  made.push(folder);
  return {
    parts,
    seed: 7,
    durationMs: 60_000,
    trials: null,
    batchSize: 40,
    workers: 2,
    outDir: join(folder, 'out'),
    tempFolder: join(folder, 'temp'),
    intervalMs: 60_000,
    signal: new AbortController().signal,
    onHoldings: () => undefined,
    ...given,
  };
}

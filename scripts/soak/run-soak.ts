/**
 * Random trials in one process until the time is up, in batches, so that whatever is not given back
 * adds up and shows. Stops at the first trial that does not meet its expectation.
 */
import { mkdirSync, rmSync } from 'node:fs';
import type { TrialRecord } from '../../harness/model/results.ts';
import { named } from '../../harness/plan/plan.ts';
import { historyPath } from '../../harness/results/history-path.ts';
import { runPlan } from '../../harness/trial/run.ts';
import type { Parts } from '../bench/bench-lab.ts';
import { drawBatches, reachableCells } from './draw-trials.ts';
import { type Holdings, readHoldings } from './watch.ts';

export interface SoakOptions {
  readonly parts: Parts;
  readonly seed: number;
  readonly durationMs: number;
  /** Stops after so many trials, whatever time is left; null: time alone counts. */
  readonly trials: number | null;
  readonly batchSize: number;
  readonly workers: number;
  /** Histories go below it; those of trials that met their expectation are removed again. */
  readonly outDir: string;
  /** Where the run's own scratch space is made; watched, and never written here. */
  readonly tempFolder: string;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly onHoldings: (holdings: Holdings, trials: number) => void;
}

export type SoakEnd = 'time-up' | 'enough-trials' | 'unmet' | 'interrupted';

export interface SoakOutcome {
  readonly end: SoakEnd;
  /** Trials that ran to their end. */
  readonly trials: number;
  /** Those that did not meet their expectation: the first, and what ran beside it. */
  readonly unmet: readonly TrialRecord[];
  readonly durationMs: number;
  /** Between batches, when no trial is under way: after the first batch, and after the last. */
  readonly first: Holdings & { readonly trials: number };
  readonly last: Holdings & { readonly trials: number };
}

const gateName = 'reference';

export async function runSoak(options: SoakOptions): Promise<SoakOutcome> {
  const { seed, signal, parts } = options;
  const beganMs = performance.now();
  const cells = reachableCells(named(parts.gates, gateName, 'gate'), parts.targets);
  const watched = [options.outDir, options.tempFolder];
  for (const folder of watched) mkdirSync(folder, { recursive: true });
  const unmet: TrialRecord[] = [];
  let trials = 0;
  let toldMs = beganMs;
  let first: SoakOutcome['first'] | null = null;

  for (const batch of drawBatches(cells, { seed, size: options.batchSize })) {
    const left = (options.trials ?? Number.POSITIVE_INFINITY) - trials;
    await runPlan({
      plan: { matrix: 'soak', title: 'Soak', seed, trials: batch.slice(0, left), excluded: [] },
      ...parts,
      workers: options.workers,
      outDir: options.outDir,
      bail: true,
      signal,
      onTrial: (record) => {
        trials += 1;
        if (record.meetsExpectation !== true) unmet.push(record);
        else rmSync(historyPath(options.outDir, record.id), { force: true });
      },
    });
    const last = { ...readHoldings(watched), trials };
    first ??= last;
    const nowMs = performance.now();
    const end = endOf({ options, trials, hasUnmet: unmet.length > 0, spentMs: nowMs - beganMs });
    if (end !== null) return { end, trials, unmet, durationMs: nowMs - beganMs, first, last };
    if (nowMs - toldMs >= options.intervalMs) {
      options.onHoldings(last, trials);
      toldMs = nowMs;
    }
  }
  throw new Error('batches never end');
}

/** Null while it goes on. A broken promise counts more than whatever else ended it. */
function endOf(state: {
  readonly options: SoakOptions;
  readonly trials: number;
  readonly hasUnmet: boolean;
  readonly spentMs: number;
}): SoakEnd | null {
  const { options, trials, hasUnmet, spentMs } = state;
  if (hasUnmet) return 'unmet';
  if (options.signal.aborted) return 'interrupted';
  if (options.trials !== null && trials >= options.trials) return 'enough-trials';
  return spentMs >= options.durationMs ? 'time-up' : null;
}

/** The whole bench, in order: the mix beside its floors, starts, recovery, and the gate at its two ages. */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { loadMatrix } from '../../harness/plan/matrix-file.ts';
import { expandMatrix } from '../../harness/plan/plan.ts';
import { measureAtSize } from './at-size.ts';
import { type BenchLab, openBenchLab, type Parts } from './bench-lab.ts';
import { sampleTrials } from './mix.ts';
import { medianOf, quantilesOf, round } from './quantiles.ts';
import { measureRecovery } from './recovery.ts';
import { addedLatency, type BenchReport, summarizeBlocks } from './report.ts';
import { measureStarts } from './start-times.ts';
import { type Block, measureThroughput } from './throughput.ts';

/** How much of everything is measured. */
export interface Amounts {
  readonly warmUpTrials: number;
  readonly trials: number;
  /** Turns of trials and floors. */
  readonly blocks: number;
  readonly starts: number;
  readonly recoveryTrialsPerPoint: number;
  readonly effects: number;
  readonly intents: number;
  readonly prefillBudgetMs: number;
  readonly recoveriesAtSize: number;
}

export const fullAmounts: Amounts = {
  warmUpTrials: 40,
  trials: 168,
  blocks: 14,
  starts: 60,
  recoveryTrialsPerPoint: 24,
  effects: 2_000,
  intents: 1_000_000,
  prefillBudgetMs: 30 * 60_000,
  recoveriesAtSize: 60,
};

/** Enough to see that every figure comes out; what it is says nothing. */
export const quickAmounts: Amounts = {
  warmUpTrials: 2,
  trials: 4,
  blocks: 2,
  starts: 2,
  recoveryTrialsPerPoint: 1,
  effects: 20,
  intents: 500,
  prefillBudgetMs: 60_000,
  recoveriesAtSize: 2,
};

export interface BenchOptions {
  readonly parts: Parts;
  readonly matricesFolder: string;
  readonly amounts: Amounts;
  readonly quick: boolean;
  readonly workers: number;
  /** Which trials are in the sample. */
  readonly seed: number;
  readonly note: (text: string) => void;
}

export async function measure(options: BenchOptions): Promise<BenchReport> {
  const { parts, amounts, seed, workers, note } = options;
  const startedAt = new Date().toISOString();
  const beganMs = performance.now();
  const loadBefore = loadNow();
  const lab = await openBenchLab(parts);
  try {
    const { trials, starts, cpuTrials, ...throughput } = summarizeBlocks(
      await runMix(options, lab),
    );
    note('starts of single processes');
    const single = await measureStarts(lab, amounts.starts);
    note('recoveries, from the histories of trials');
    const trialsPerPoint = amounts.recoveryTrialsPerPoint;
    const recovery = await measureRecovery({ lab, parts, trialsPerPoint, seed });
    const { latencies, atSize } = await measureAtSize({
      ...amounts,
      lab,
      recoveries: amounts.recoveriesAtSize,
      note,
    });
    const subjectStartMs = medianOf(single.subjectMs);
    const emptyStartMs = medianOf(single.emptyMs);
    return {
      format: 1,
      environment: {
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        cpus: availableParallelism(),
        cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
        loadBefore,
        loadAfter: loadNow(),
      },
      startedAt,
      durationMs: Math.round(performance.now() - beganMs),
      quick: options.quick,
      seed,
      workers,
      ...throughput,
      subjectStartMs,
      emptyStartMs,
      startRatio: round(subjectStartMs / emptyStartMs),
      gateLatencyMs: addedLatency(latencies.withEmptyMs, latencies.withoutMs),
      recoveryMs: quantilesOf(recovery.recoveryMs),
      restartMs: quantilesOf(recovery.restartMs),
      at1MIntents: atSize,
      samples: {
        trialsPerSecond: trials,
        subjectFloorPerSecond: starts,
        emptyFloorPerSecond: starts,
        ratio: throughput.spread.blocks,
        harnessCpuMsPerTrial: cpuTrials,
        subjectStartMs: single.subjectMs.length,
        emptyStartMs: single.emptyMs.length,
      },
    };
  } finally {
    await lab.close();
  }
}

async function runMix(options: BenchOptions, lab: BenchLab): Promise<readonly Block[]> {
  const { parts, amounts, seed, matricesFolder } = options;
  const matrix = await loadMatrix({
    reference: 'default',
    matricesFolder,
    workingFolder: matricesFolder,
  });
  const { trials } = expandMatrix({ matrix, ...parts });
  return await measureThroughput({
    lab,
    parts,
    warmUp: sampleTrials(trials, amounts.warmUpTrials, seed + 1),
    trials: sampleTrials(trials, amounts.trials, seed),
    blocks: amounts.blocks,
    workers: options.workers,
    onBlock: (block, done, total) =>
      options.note(
        `block ${done} of ${total}: ${block.trials} trials in ${seconds(block.trialsMs)}, ` +
          `their starts alone in ${seconds(block.subjectFloorMs)}`,
      ),
  });
}

function loadNow(): number {
  return round(loadavg()[0] ?? 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

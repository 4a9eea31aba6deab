/** What a bench run says: one object, every figure with the number of samples behind it. */

import {
  medianOf,
  type Quantiles,
  quantilesOf,
  round,
  type Spread,
  spreadOf,
} from './quantiles.ts';
import type { Block } from './throughput.ts';

/** Added to every effect by the gate: quantiles with it less those without, never of pairs. */
export interface GateLatency extends Quantiles {
  readonly with: Quantiles;
  readonly without: Quantiles;
}

/** The same measured on a full ledger, beside an empty one in turns. Factors compare medians. */
export interface AtSize {
  /** How many settled intents the ledger really held. */
  readonly intents: number;
  readonly intentsAsked: number;
  readonly prefillMs: number;
  /** What the gate's own verifier said of the whole ledger, and how long it took. */
  readonly verified: { readonly verdict: 'holds' | 'broken'; readonly durationMs: number };
  readonly ledgerMiB: number;
  readonly gateLatencyMs: Quantiles;
  readonly recoveryMs: Quantiles;
  readonly restartMs: Quantiles;
  readonly startMs: Quantiles;
  readonly empty: {
    readonly gateLatencyMs: Quantiles;
    readonly recoveryMs: Quantiles;
    readonly restartMs: Quantiles;
    readonly startMs: Quantiles;
  };
  readonly factors: {
    readonly gateLatency: number;
    readonly recovery: number;
    readonly restart: number;
    readonly start: number;
  };
}

export interface BenchReport {
  readonly format: 1;
  readonly environment: {
    readonly node: string;
    readonly platform: string;
    readonly cpus: number;
    readonly cpuModel: string;
    /** Load averages before and after: others at work make times longer, ratios less so. */
    readonly loadBefore: number;
    readonly loadAfter: number;
  };
  readonly startedAt: string;
  readonly durationMs: number;
  readonly quick: boolean;
  readonly seed: number;
  readonly workers: number;
  readonly trialsPerSecond: number;
  /** Trials' worth of starts per second. */
  readonly subjectFloorPerSecond: number;
  readonly emptyFloorPerSecond: number;
  /** trialsPerSecond ÷ subjectFloorPerSecond. */
  readonly ratio: number;
  readonly startsPerTrial: number;
  readonly trialsUnmet: number;
  readonly harnessCpuMsPerTrial: number;
  /** `starts` is what this process spends on starting and ending the same processes without trials. */
  readonly harnessCpuSplit: {
    readonly userMs: number;
    readonly systemMs: number;
    readonly startsMs: number;
  };
  /**
   * CPU of this process and its children together, ms a trial: with the trial, and for its starts
   * alone. Their quotient is what `ratio` would be if nobody ever waited; others at work on the machine
   * blur it less.
   */
  readonly treeCpu: {
    readonly trialMs: number;
    readonly startsMs: number;
    readonly ratio: number;
  };
  /**
   * CPU of starting and ending one empty Node, this process's share included: a yardstick for every CPU
   * figure here. Others at work on the machine make CPU time longer too, this one as much as the rest.
   */
  readonly emptyNodeCpuMs: number;
  readonly subjectStartMs: number;
  readonly emptyStartMs: number;
  readonly startRatio: number;
  readonly gateLatencyMs: GateLatency;
  readonly recoveryMs: Quantiles;
  readonly restartMs: Quantiles;
  readonly at1MIntents: AtSize;
  /** How many measurements stand behind each plain number. */
  readonly samples: {
    readonly trialsPerSecond: number;
    readonly subjectFloorPerSecond: number;
    readonly emptyFloorPerSecond: number;
    readonly ratio: number;
    readonly harnessCpuMsPerTrial: number;
    readonly subjectStartMs: number;
    readonly emptyStartMs: number;
  };
  /** Over the blocks that trials and floors took turns in. */
  readonly spread: {
    readonly blocks: number;
    readonly trialsPerSecond: Spread;
    readonly subjectFloorPerSecond: Spread;
    readonly emptyFloorPerSecond: Spread;
    readonly ratio: Spread;
    readonly harnessCpuMsPerTrial: Spread;
  };
}

type Throughput = Pick<
  BenchReport,
  | 'trialsPerSecond'
  | 'subjectFloorPerSecond'
  | 'emptyFloorPerSecond'
  | 'ratio'
  | 'startsPerTrial'
  | 'trialsUnmet'
  | 'harnessCpuMsPerTrial'
  | 'harnessCpuSplit'
  | 'treeCpu'
  | 'emptyNodeCpuMs'
  | 'spread'
> & { readonly trials: number; readonly starts: number; readonly cpuTrials: number };

export function summarizeBlocks(blocks: readonly Block[]): Throughput {
  const sum = (read: (block: Block) => number) =>
    blocks.reduce((total, block) => total + read(block), 0);
  const trials = sum((block) => block.trials);
  const cpuTrials = sum((block) => block.cpu.trials);
  const perSecond = (ms: number) => round((1000 * trials) / ms);
  const userMs = sum((block) => block.cpu.userMs) / cpuTrials;
  const systemMs = sum((block) => block.cpu.systemMs) / cpuTrials;
  const treeMs = sum((block) => block.cpu.treeMs) / cpuTrials;
  const treeStartsMs = sum((block) => block.floorCpu.treeMs) / trials;
  const startsMs = sum((block) => block.floorCpu.userMs + block.floorCpu.systemMs) / trials;
  return {
    trials,
    starts: sum((block) => block.starts),
    cpuTrials,
    trialsPerSecond: perSecond(sum((block) => block.trialsMs)),
    subjectFloorPerSecond: perSecond(sum((block) => block.subjectFloorMs)),
    emptyFloorPerSecond: perSecond(sum((block) => block.emptyFloorMs)),
    ratio: round(sum((block) => block.subjectFloorMs) / sum((block) => block.trialsMs)),
    startsPerTrial: round(sum((block) => block.starts) / trials),
    trialsUnmet: sum((block) => block.unmet),
    harnessCpuMsPerTrial: round(userMs + systemMs),
    harnessCpuSplit: {
      userMs: round(userMs),
      systemMs: round(systemMs),
      startsMs: round(startsMs),
    },
    treeCpu: {
      trialMs: round(treeMs),
      startsMs: round(treeStartsMs),
      ratio: round(treeStartsMs / treeMs),
    },
    emptyNodeCpuMs: round(sum((block) => block.emptyCpu.treeMs) / sum((block) => block.starts)),
    spread: {
      blocks: blocks.length,
      trialsPerSecond: spreadOf(blocks.map((block) => (1000 * block.trials) / block.trialsMs)),
      subjectFloorPerSecond: spreadOf(
        blocks.map((block) => (1000 * block.trials) / block.subjectFloorMs),
      ),
      emptyFloorPerSecond: spreadOf(
        blocks.map((block) => (1000 * block.trials) / block.emptyFloorMs),
      ),
      ratio: spreadOf(blocks.map((block) => block.subjectFloorMs / block.trialsMs)),
      harnessCpuMsPerTrial: spreadOf(
        blocks.map((block) => (block.cpu.userMs + block.cpu.systemMs) / block.cpu.trials),
      ),
    },
  };
}

export function addedLatency(withMs: readonly number[], withoutMs: readonly number[]): GateLatency {
  const gated = quantilesOf(withMs);
  const bare = quantilesOf(withoutMs);
  return {
    p50: round(gated.p50 - bare.p50),
    p99: round(gated.p99 - bare.p99),
    samples: Math.min(gated.samples, bare.samples),
    with: gated,
    without: bare,
  };
}

export function factorOf(fullMs: readonly number[], emptyMs: readonly number[]): number {
  return round(medianOf(fullMs) / medianOf(emptyMs));
}

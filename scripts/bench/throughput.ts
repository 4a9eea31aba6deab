/**
 * Trials per second beside the floor under them: the starts those trials made, and nothing else. In
 * blocks that take turns, so that a machine that slows down slows both.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannedTrial } from '../../harness/plan/plan.ts';
import { historyPath } from '../../harness/results/history-path.ts';
import { runPlan } from '../../harness/trial/run.ts';
import { startBare } from './bare-process.ts';
import type { BenchLab, Parts } from './bench-lab.ts';
import { inBlocks, readStarts, startedTogether, type TrialStarts } from './mix.ts';

export interface ThroughputOptions {
  readonly lab: BenchLab;
  readonly parts: Parts;
  /** Run and thrown away, so that everything has been compiled and loaded once. */
  readonly warmUp: readonly PlannedTrial[];
  readonly trials: readonly PlannedTrial[];
  readonly blocks: number;
  readonly workers: number;
  readonly onBlock: (block: Block, done: number, total: number) => void;
}

export interface Block {
  readonly trials: number;
  /** Processes the trials started. */
  readonly starts: number;
  /** Trials that did not meet their expectation: a figure taken from them says little. */
  readonly unmet: number;
  /** From the first trial's beginning to the last one's end. */
  readonly trialsMs: number;
  /** The same starts without trials. */
  readonly subjectFloorMs: number;
  /** As many starts of an empty Node process. */
  readonly emptyFloorMs: number;
  /** Between the first trial's end and the last one's; `userMs` and `systemMs` are this process's own. */
  readonly cpu: Cpu & { readonly trials: number };
  /** For the starts alone. */
  readonly floorCpu: Cpu;
  /** For the starts of an empty Node. */
  readonly emptyCpu: Cpu;
}

export interface Cpu {
  readonly userMs: number;
  readonly systemMs: number;
  /** With that of every child which ended meanwhile. */
  readonly treeMs: number;
}

export async function measureThroughput(options: ThroughputOptions): Promise<readonly Block[]> {
  await measureBlock(options, options.warmUp);
  const blocks: Block[] = [];
  const parts = inBlocks(options.trials, options.blocks);
  for (const trials of parts) {
    const block = await measureBlock(options, trials);
    blocks.push(block);
    options.onBlock(block, blocks.length, parts.length);
  }
  return blocks;
}

async function measureBlock(
  options: ThroughputOptions,
  trials: readonly PlannedTrial[],
): Promise<Block> {
  const { starts, ...ran } = await runTrials(options, trials);
  const { lab, workers } = options;
  const floorCpu = cpuSince();
  const subjectFloorMs = await timeEach(starts, workers, (trial, index) =>
    replayStarts(lab, trial, index),
  );
  const floorCpuUsed = floorCpu();
  const emptyCpu = cpuSince();
  const emptyFloorMs = await timeEach(starts, workers, (trial) => replayEmpty(lab, trial));
  return {
    ...ran,
    trials: trials.length,
    starts: starts.reduce((sum, trial) => sum + trial.starts.length, 0),
    subjectFloorMs,
    emptyFloorMs,
    floorCpu: floorCpuUsed,
    emptyCpu: emptyCpu(),
  };
}

async function runTrials(options: ThroughputOptions, trials: readonly PlannedTrial[]) {
  const outDir = join(options.lab.folder, 'bench-histories');
  let beganMs = Number.POSITIVE_INFINITY;
  let endedMs = 0;
  let unmet = 0;
  let usedCpu: (() => Cpu) | null = null;
  let cpu: Block['cpu'] = { userMs: 0, systemMs: 0, treeMs: 0, trials: 0 };
  await runPlan({
    plan: { matrix: 'bench', title: 'Bench', seed: 0, trials, excluded: [] },
    gates: options.parts.gates,
    targets: options.parts.targets,
    workers: options.workers,
    outDir,
    bail: false,
    onTrial: (record, done) => {
      endedMs = performance.now();
      // A run opens its bundles and rails first, once; that is no part of a trial.
      beganMs = Math.min(beganMs, endedMs - (record.durationMs ?? 0));
      if (record.meetsExpectation !== true) unmet += 1;
      if (usedCpu === null) usedCpu = cpuSince();
      else cpu = { ...usedCpu(), trials: done - 1 };
    },
  });
  const starts = trials.map((trial) => readStarts(historyPath(outDir, trial.id)));
  rmSync(outDir, { recursive: true, force: true });
  return { starts, unmet, trialsMs: endedMs - beganMs, cpu };
}

/** What the trial started, killed and stopped, on a ledger of its own, and nothing in between. */
async function replayStarts(lab: BenchLab, trial: TrialStarts, index: number): Promise<void> {
  const folder = join(lab.folder, 'bench-floor', String(index));
  const ledger = join(folder, 'ledger');
  mkdirSync(ledger, { recursive: true });
  const namespace = await lab.targetOf(trial.target).rail.openNamespace(`floor-${index}`);
  const message = lab.startMessage(trial.target, { namespace, ledger });
  const database = await lab.openDatabaseOf(trial.gate);
  const environment = database === null ? {} : { DATABASE_URL: database.url };
  for (const group of startedTogether(trial.starts)) {
    await Promise.all(
      group.map(async ({ end }) => {
        const subject = await startBare(lab.commandOf(trial.gate), message, environment);
        await (end === 'killed' ? subject.kill() : subject.stop());
      }),
    );
  }
  await database?.close();
  await namespace.close?.();
  rmSync(folder, { recursive: true, force: true });
}

async function replayEmpty(lab: BenchLab, trial: TrialStarts): Promise<void> {
  for (const group of startedTogether(trial.starts)) {
    await Promise.all(
      group.map(async ({ end }) => {
        const empty = await startBare(lab.emptyCommand, null);
        await (end === 'killed' ? empty.kill() : empty.stop());
      }),
    );
  }
}

async function timeEach<T>(
  items: readonly T[],
  workers: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<number> {
  const beganMs = performance.now();
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await work(next[1], next[0]);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return performance.now() - beganMs;
}

function cpuSince(): () => Cpu {
  const before = process.cpuUsage();
  const childrenBeforeMs = endedChildrenCpuMs();
  return () => {
    const { user, system } = process.cpuUsage(before);
    const own = { userMs: user / 1000, systemMs: system / 1000 };
    const childrenMs = endedChildrenCpuMs() - childrenBeforeMs;
    return { ...own, treeMs: own.userMs + own.systemMs + childrenMs };
  };
}

/** Ticks of a hundredth of a second, whatever the kernel's own; fields 16 and 17 of proc_pid_stat(5). */
function endedChildrenCpuMs(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

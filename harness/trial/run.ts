/**
 * Runs a plan: a bounded number of trials side by side, each judged as soon as its history is whole.
 * Every planned trial ends as exactly one record, whatever happens.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { judge } from '../checkers/judge.ts';
import { declaredFindings } from '../model/condemned.ts';
import { HarnessError } from '../model/errors.ts';
import { expectedFindings } from '../model/lacking.ts';
import type { TrialRecord } from '../model/results.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Catalogue, DeclaredTarget, GateEntry } from '../plan/catalogue-entry.ts';
import { named, type Plan, type PlannedTrial } from '../plan/plan.ts';
import { historyPath } from '../results/history-path.ts';
import { excludedRecord, notRunRecord, recordTrial } from '../results/record.ts';
import { boundsFor } from './bounds.ts';
import { drawTrial } from './draws.ts';
import { keepEvidence } from './kept-evidence.ts';
import { declareTargets, type Environment, type Lab, openLab } from './lab.ts';
import type { RecordedHistory } from './recorder.ts';
import { runTrial } from './run-trial.ts';
import { SubjectRegistry } from './subject-process.ts';

export interface RunOptions {
  readonly plan: Plan;
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
  /** Trials side by side. */
  readonly workers: number;
  /** Histories go below it. */
  readonly outDir: string;
  /** Stop after the first trial that does not meet its expectation. */
  readonly bail: boolean;
  /** Stops the run; what has not run is recorded as not-run. */
  readonly signal?: AbortSignal;
  readonly onTrial?: (record: TrialRecord, done: number, total: number) => void;
  /** Given to the rails; absent: nothing. */
  readonly environment?: Environment | undefined;
  /** Deadlines other than the usual ones. */
  readonly bounds?: Partial<TrialSpec['bounds']>;
}

export interface RunOutcome {
  /** One per planned trial and per excluded cell, in the plan's order. */
  readonly records: readonly TrialRecord[];
  readonly finished: boolean;
  readonly startedAt: string;
  readonly durationMs: number;
}

/** Throws HarnessError when the run can't be set up at all. */
export async function runPlan(options: RunOptions): Promise<RunOutcome> {
  const startedAt = new Date().toISOString();
  const beganMs = performance.now();
  const { plan } = options;
  const done = new Map<string, TrialRecord>();
  const stop = new AbortController();
  const registry = new SubjectRegistry();
  const interrupt = () => {
    stop.abort();
    registry.killAll();
  };
  if (options.signal?.aborted) interrupt();
  options.signal?.addEventListener('abort', interrupt, { once: true });

  const usedGates = options.gates.filter((gate) =>
    plan.trials.some((trial) => trial.cell.gate === gate.name),
  );
  const usedTargets = options.targets.filter((target) =>
    plan.trials.some((trial) => trial.cell.target === target.name),
  );
  const queue = [...plan.trials.entries()];
  let bailed = false;
  try {
    await withLab(await openLab(usedGates, usedTargets, options.environment), async (lab) => {
      const work = async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          if (stop.signal.aborted || bailed) return;
          const [index, trial] = next;
          const surroundings = { options, lab, registry, signal: stop.signal, number: index + 1 };
          const record = await runOne(trial, surroundings);
          if (record === 'interrupted') return;
          done.set(trial.id, record);
          options.onTrial?.(record, done.size, plan.trials.length);
          if (options.bail && record.meetsExpectation !== true) bailed = true;
        }
      };
      await workTogether(options.workers, work, interrupt);
    });
  } finally {
    options.signal?.removeEventListener('abort', interrupt);
    registry.killAll();
  }

  const why = stop.signal.aborted
    ? 'the run was interrupted'
    : 'the run stopped at the first unmet trial';
  const records = [
    ...plan.trials.map(
      (trial) =>
        done.get(trial.id) ??
        notRunRecord(trial, why, {
          gate: named(options.gates, trial.cell.gate, 'gate'),
          target: named(options.targets, trial.cell.target, 'target'),
        }),
    ),
    ...plan.excluded.map((cell) => excludedRecord(cell, plan.seed)),
  ];
  return {
    records,
    finished: done.size === plan.trials.length,
    startedAt,
    durationMs: Math.round(performance.now() - beganMs),
  };
}

/** What a plan is made from: every gate, and the targets that were asked for with what they declare. */
export interface LoadedCatalogue {
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
}

/**
 * Reads what targets declare, each from its module: a bundle, a rail and a namespace apiece. `names` are
 * those that are needed; absent: all. Throws UsageError for a name nobody knows.
 */
export async function loadCatalogue(
  { gates, targets }: Catalogue,
  environment?: Environment,
  names?: Iterable<string>,
): Promise<LoadedCatalogue> {
  const needed = names === undefined ? null : new Set(names);
  for (const name of needed ?? []) named(targets, name, 'target');
  const wanted = targets.filter(({ name }) => needed?.has(name) ?? true);
  return { gates, targets: await declareTargets(wanted, environment) };
}

/** Waits for every worker; the first that throws stops the others, and is what is thrown. */
async function workTogether(
  workers: number,
  work: () => Promise<void>,
  interrupt: () => void,
): Promise<void> {
  const failures: unknown[] = [];
  const watched = async () => {
    try {
      await work();
    } catch (error) {
      failures.push(error);
      interrupt();
    }
  };
  await Promise.all(Array.from({ length: workers }, watched));
  if (failures.length > 0) throw failures[0];
}

/** Closes the lab once nobody works in it. What went wrong in it is thrown before what goes wrong then. */
async function withLab(lab: Lab, use: (lab: Lab) => Promise<void>): Promise<void> {
  const [used] = await Promise.allSettled([use(lab)]);
  const [closed] = await Promise.allSettled([lab.close()]);
  for (const settled of [used, closed]) if (settled.status === 'rejected') throw settled.reason;
}

interface Surroundings {
  readonly options: RunOptions;
  readonly lab: Lab;
  readonly registry: SubjectRegistry;
  readonly signal: AbortSignal;
  /** The trial's place in the plan, from 1. */
  readonly number: number;
}

async function runOne(
  trial: PlannedTrial,
  { options, lab, registry, signal, number }: Surroundings,
): Promise<TrialRecord | 'interrupted'> {
  const beganMs = performance.now();
  const spec = specOf(trial, options, lab);
  const workspace = join(lab.folder, 'trials', String(number));
  const path = historyPath(options.outDir, trial.id);
  mkdirSync(workspace, { recursive: true });
  try {
    const input = { spec, historyPath: path, lab, registry, signal, number, workspace };
    const { recorded, secrets } = await runTrial(input);
    const record = judgeHistory(recorded, performance.now() - beganMs);
    if (record.meetsExpectation !== true) keepEvidence(workspace, path, secrets);
    return record;
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'interrupted') {
      rmSync(path, { force: true });
      return 'interrupted';
    }
    throw error;
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

function specOf(trial: PlannedTrial, options: RunOptions, lab: Lab): TrialSpec {
  const gate = named(options.gates, trial.cell.gate, 'gate');
  const { declared } = lab.targetOf(trial.cell.target);
  const expected = declaredFindings({ gate, target: declared }, trial.cell);
  return {
    format: 1,
    id: trial.id,
    cell: trial.cell,
    trial: trial.trial,
    seed: trial.seed,
    gate: { command: [...lab.commandOf(gate.name)], lacks: [...gate.lacks] },
    target: { options: declared.target.options, railOptions: declared.rail.options },
    declaration: declared.declaration,
    ...(expected === undefined ? {} : { expected: [...expected] }),
    draws: drawTrial(trial.seed, trial.cell),
    bounds: { ...boundsFor(declared.declaration), ...options.bounds },
  };
}

function judgeHistory({ history, sha256 }: RecordedHistory, durationMs: number): TrialRecord {
  const { spec } = history;
  const expected = expectedFindings(spec);
  return recordTrial({
    spec,
    history,
    verdict: judge(spec, history, expected),
    historySha256: sha256,
    durationMs: Math.round(durationMs),
    expectedFindings: expected,
  });
}

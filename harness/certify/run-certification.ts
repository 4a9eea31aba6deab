/**
 * Runs a certification: the whole declaration first, and then what is left of it, until every cell of a
 * stage holds or nothing is left. Which stage comes next is `judge-stage.ts`' to say.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Capability } from '../../adapters/reduced-target.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import type { DeclaredTarget, GateEntry, TargetEntry } from '../plan/catalogue-entry.ts';
import type { Plan } from '../plan/plan.ts';
import { assembleResults } from '../results/assemble.ts';
import { hashPlan } from '../results/plan-hash.ts';
import { subjectsOf } from '../results/subjects.ts';
import { declareTargets, type Environment } from '../trial/lab.ts';
import { runPlan } from '../trial/run.ts';
import { nextStep, type Stage } from './judge-stage.ts';
import { wrapperSource } from './own-target.ts';
import { planCertification } from './plan-certification.ts';
import { readStage } from './read-stage.ts';

export interface CertificationRequest {
  readonly gate: GateEntry;
  readonly entry: TargetEntry;
  /** The module whose `reduceTarget` makes a target declare less. */
  readonly reducer: string;
  readonly environment: Environment;
  readonly seed: number;
  readonly trialsPerCell: number;
  readonly workers: number;
  /** Histories go below it. */
  readonly outDir: string;
  /** Only these cells, by their ids without gate and target; null: all. */
  readonly cells: readonly string[] | null;
  readonly signal: AbortSignal;
  readonly facts: Pick<Results, 'environment' | 'command'> & { readonly version: string };
  /** Told before a stage runs; returns whom to tell of each trial. */
  readonly onStage: (stage: StagePlan) => StageWatch;
}

export interface StagePlan {
  readonly plan: Plan;
  readonly without: readonly Capability[];
  readonly target: DeclaredTarget;
}

export interface StageWatch {
  readonly onTrial: (record: TrialRecord, done: number, total: number) => void;
  readonly stop: () => void;
}

export interface RunStage extends Stage {
  readonly results: Results;
}

/** At least one stage; the last is where it ended, or was interrupted. */
export async function runCertification(
  request: CertificationRequest,
): Promise<readonly [RunStage, ...RunStage[]]> {
  const folder = await mkdtemp(join(tmpdir(), 'killpoint-reduced-'));
  try {
    const stages: [RunStage, ...RunStage[]] = [await runStage(request, [], folder)];
    for (;;) {
      const next = nextStep(stages);
      if (next.kind !== 'run' || request.signal.aborted) return stages;
      stages.push(await runStage(request, next.without, folder));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runStage(
  request: CertificationRequest,
  without: readonly Capability[],
  folder: string,
): Promise<RunStage> {
  const { gate, environment, seed, trialsPerCell, workers, outDir, signal } = request;
  const entry = await entryWithout(request, without, folder);
  const [target] = await declareTargets([entry], environment);
  if (target === undefined) throw new Error(`${entry.name} was not declared`);
  const plan = planCertification({ gate, target, seed, trialsPerCell, cells: request.cells });
  const watch = request.onStage({ plan, without, target });
  try {
    const outcome = await runPlan({
      plan,
      gates: [gate],
      targets: [target],
      workers,
      outDir,
      bail: false,
      signal,
      environment,
      onTrial: watch.onTrial,
    });
    const results = assembleResults(
      {
        ...request.facts,
        matrix: plan.matrix,
        plan: {
          from: 'ids',
          trialsPerCell,
          exclusions: [],
          idsSha256: hashPlan(plan),
          shard: null,
          share: null,
        },
        ...subjectsOf(plan, { gates: [gate], targets: [target] }),
        seed,
        workers,
      },
      outcome,
    );
    const { declaration } = target;
    const stage = await readStage(outDir, { without, declaration, records: outcome.records });
    return { ...stage, results };
  } finally {
    watch.stop();
  }
}

/** `NAME.without-dedupe`: the same code, declaring less. */
export function nameWithout(name: string, without: readonly Capability[]): string {
  return without.length === 0 ? name : `${name}.without-${without.join('-')}`;
}

/** The entry itself where nothing is left out, a module that wraps it in every other case. */
export async function entryWithout(
  { entry, reducer }: Pick<CertificationRequest, 'entry' | 'reducer'>,
  without: readonly Capability[],
  folder: string,
): Promise<TargetEntry> {
  if (without.length === 0) return entry;
  const name = nameWithout(entry.name, without);
  const module = join(folder, `${name}.ts`);
  await mkdir(folder, { recursive: true });
  await writeFile(module, wrapperSource(entry.target, reducer, without));
  return { ...entry, name, target: { ...entry.target, module, export: 'createTarget' } };
}

/** Runs a few cells from source into a folder of their own, as `killpoint run ID` does. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseId } from '../../model/cell.ts';
import type { TrialRecord } from '../../model/results.ts';
import type { TrialSpec } from '../../model/trial.ts';
import { builtInCatalogue } from '../../plan/catalogue.ts';
import type { GateEntry, TargetEntry } from '../../plan/catalogue-entry.ts';
import { type Plan, planTrial } from '../../plan/plan.ts';
import { targetsOfIds } from '../../plan/plan-ids.ts';
import { historyPath } from '../../results/history-path.ts';
import type { Environment } from '../lab.ts';
import { loadCatalogue, runPlan } from '../run.ts';

export const root = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
export const source = builtInCatalogue(root, '.ts');

/** The seed of every run. */
export const runSeed = 7;

const made: string[] = [];

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  made.push(folder);
  return folder;
}

export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface CellsRun {
  readonly records: readonly TrialRecord[];
  readonly outDir: string;
  /** The history of a record as it stands on disk. */
  historyOf(record: TrialRecord): string;
}

export interface CellsOptions {
  readonly gates?: readonly GateEntry[];
  readonly targets?: readonly TargetEntry[];
  readonly bounds?: Partial<TrialSpec['bounds']>;
  readonly signal?: AbortSignal;
  /** Given to the rails. */
  readonly environment?: Environment;
  readonly onTrial?: (record: TrialRecord) => void;
  readonly bail?: boolean;
  /** A new temporary folder when absent. */
  readonly outDir?: string;
  /** The seed of every trial, which otherwise has its own. */
  readonly sameSeed?: number;
}

export async function runCells(
  ids: readonly string[],
  options: CellsOptions = {},
): Promise<CellsRun> {
  const outDir = options.outDir ?? temporaryFolder();
  const { gates, targets } = await loadCatalogue(
    {
      gates: options.gates ?? source.gates,
      targets: options.targets ?? source.targets,
    },
    options.environment,
    targetsOfIds(ids),
  );
  const outcome = await runPlan({
    plan: planOf(ids, options.sameSeed),
    gates,
    targets,
    workers: 2,
    outDir,
    bail: options.bail ?? false,
    environment: options.environment,
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.onTrial === undefined ? {} : { onTrial: options.onTrial }),
  });
  return {
    records: outcome.records,
    outDir,
    historyOf: (record) => readFileSync(historyPath(outDir, record.id), 'utf8'),
  };
}

/** A gate that is run as the command it is. */
export function commandGate(name: string, command: readonly string[]): GateEntry {
  return { name, about: name, lacks: [], run: { kind: 'command', command } };
}

/** A gate bundled from a module beside the tests. */
export function moduleGate(name: string, module: string): GateEntry {
  return { name, about: name, lacks: [], run: { kind: 'module', module } };
}

function planOf(ids: readonly string[], sameSeed: number | undefined): Plan {
  const seed = runSeed;
  const trials = ids.map((id) => {
    const parsed = parseId(id);
    if (parsed.kind === 'not-an-id') throw new Error(parsed.why);
    const planned = planTrial(parsed.cell, parsed.trial ?? 1, seed);
    return sameSeed === undefined ? planned : { ...planned, seed: sameSeed };
  });
  return { matrix: 'ids', title: 'Cells under test', seed, trials, excluded: [] };
}

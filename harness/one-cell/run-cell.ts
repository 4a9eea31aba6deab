/**
 * One cell as a test, under any test runner: bundled, run, judged. In: the cell and who is under test.
 * Out: the trial's record. Nothing of it stays, but for the history where it is asked for or is needed
 * to see what went wrong.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessError, UsageError } from '../model/errors.ts';
import type { TrialRecord } from '../model/results.ts';
import { planIds } from '../plan/plan-ids.ts';
import { wholeCatalogue } from '../plan/whole-catalogue.ts';
import { historiesFolder, historyPath } from '../results/history-path.ts';
import type { Environment } from '../trial/lab.ts';
import { loadCatalogue, runPlan } from '../trial/run.ts';
import { againCommand } from './again.ts';
import { type CellSubjects, findSubjects } from './subjects.ts';

export interface CellRequest extends CellSubjects {
  /** Draws amounts, hold times and the like; the same seed gives the same schedule. */
  readonly seed?: number;
  /**
   * Where the history is kept. Absent: only that of a trial that did not meet its expectation is, in
   * `results/last`.
   */
  readonly keepIn?: string;
  /** For the rail alone; absent: nothing. */
  readonly environment?: Environment;
  /** Ends the trial and everything it started. */
  readonly signal?: AbortSignal;
}

export interface CellResult {
  readonly record: TrialRecord;
  /** Null where it was not kept. */
  readonly historyPath: string | null;
  /** The command that runs the same cell again. */
  readonly again: string;
}

const usualSeed = 1;
const usualFolder = join('results', 'last');

/**
 * `cell` is kill, fault, world and caller: `during_call:now/none/none/same-again`. Rejects with UsageError
 * for a cell that can't exist and for what can't be found, with HarnessError for what can't be run.
 */
export async function runCell(cell: string, request: CellRequest): Promise<CellResult> {
  const seed = request.seed ?? usualSeed;
  const { gate, target } = findSubjects(request, ownCatalogue());
  const subjects = await loadCatalogue({ gates: [gate], targets: [target] }, request.environment);
  const id = `${gate.name}/${target.name}/${requireCell(cell)}`;
  const plan = planIds({ ...subjects, ids: [id], trialsPerCell: 1, seed });
  const [excluded] = plan.excluded;
  if (excluded !== undefined) {
    throw new UsageError(`${excluded.id} has nothing to run: ${excluded.reason}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-cell-'));
  try {
    const { records } = await runPlan({
      plan,
      ...subjects,
      workers: 1,
      outDir: folder,
      bail: false,
      environment: request.environment,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    const record = requireRun(records);
    return {
      record,
      historyPath: keepHistory(folder, record, request.keepIn),
      again: againCommand({ cell, seed, gate, target, from: request }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** From source the modules stand two folders up, when built as well: `dist/` holds them all. */
function ownCatalogue(): ReturnType<typeof wholeCatalogue> {
  const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  return wholeCatalogue(root, import.meta.url.endsWith('.ts') ? '.ts' : '.js');
}

const partsOfCell = 4;

function requireCell(cell: string): string {
  if (cell.split('/').length === partsOfCell) return cell;
  throw new UsageError(
    `expected a cell as KILL/FAULT/WORLD/CALLER, such as during_call:now/none/none/same-again, got "${cell}"; gate and target are named beside it`,
  );
}

function requireRun([record]: readonly TrialRecord[]): TrialRecord {
  if (record === undefined || record.verdict === 'not-run') {
    throw new HarnessError('interrupted', `the cell did not run: ${record?.reason ?? 'no record'}`);
  }
  return record;
}

function keepHistory(
  folder: string,
  record: TrialRecord,
  keepIn: string | undefined,
): string | null {
  if (keepIn === undefined && record.meetsExpectation === true) return null;
  const kept = resolve(keepIn ?? usualFolder);
  cpSync(join(folder, historiesFolder), join(kept, historiesFolder), { recursive: true });
  return historyPath(kept, record.id);
}

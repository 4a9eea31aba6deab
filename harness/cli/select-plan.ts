/** From what was named on the command line to a plan and the folder its results belong to. */
import { join, resolve } from 'node:path';
import { UsageError } from '../model/errors.ts';
import type { Matrix } from '../model/matrix.ts';
import type { DeclaredTarget, GateEntry } from '../plan/catalogue.ts';
import { loadMatrix } from '../plan/matrix-file.ts';
import { expandMatrix, type Plan } from '../plan/plan.ts';
import { planIds } from '../plan/plan-ids.ts';
import { lastFailedIds } from '../results/last-failed.ts';
import { readResults } from '../results/store.ts';
import { defaultMatrix, readSelection, shellQuote } from './arguments.ts';

export interface PlanRequest {
  /** Matrix or ids as typed. */
  readonly names: readonly string[];
  readonly trials?: number;
  readonly seed?: number;
  /** Where results go instead of the default. */
  readonly out?: string;
  /** Only what the last run of this selection left unmet. */
  readonly lastFailed: boolean;
}

export interface PlanSurroundings {
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
  readonly matricesFolder: string;
  readonly workingFolder: string;
}

export interface SelectedPlan {
  readonly plan: Plan;
  readonly outFolder: string;
  /** The command that makes the same plan again. */
  readonly command: string;
}

/** Published tables stand here; runs of single trials never write them. */
export const publishedFolder = 'results';
/** Where single trials and repeats go, below the folder they are repeats of. */
export const lastFolder = 'last';

/** Throws UsageError for anything that can't be planned, and where nothing is left to run again. */
export async function selectPlan(
  request: PlanRequest,
  surroundings: PlanSurroundings,
): Promise<SelectedPlan> {
  const selection = readSelection(request.names);
  const matrix = await loadMatrix({
    reference: selection.kind === 'matrix' ? selection.reference : defaultMatrix,
    matricesFolder: surroundings.matricesFolder,
    workingFolder: surroundings.workingFolder,
  });
  if (request.lastFailed) {
    if (selection.kind === 'ids') {
      throw new UsageError('expected --last-failed with a matrix or alone, got ids beside it');
    }
    return repeatFailed(request, { matrix, surroundings });
  }
  if (selection.kind === 'ids') {
    // Without a seed of its own a single trial is the one the default matrix runs.
    const seed = request.seed ?? matrix.seed;
    const plan = planIds({
      ...surroundings,
      ids: selection.ids,
      trialsPerCell: request.trials ?? 1,
      seed,
    });
    const outFolder = inWorkingFolder(
      surroundings,
      request.out ?? join(publishedFolder, lastFolder),
    );
    return { plan, outFolder, command: commandFor(selection.ids, { ...request, seed }) };
  }
  const plan = expandMatrix({
    matrix,
    gates: surroundings.gates,
    targets: surroundings.targets,
    ...(request.trials === undefined ? {} : { trialsPerCell: request.trials }),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
  });
  return {
    plan,
    outFolder: folderOfMatrix(request, { matrix, surroundings }),
    command: commandFor([selection.reference], { ...request, seed: plan.seed }),
  };
}

/** `results` for the default matrix, `results/NAME` for any other, unless a folder was named. */
export function folderOfMatrix(
  request: Pick<PlanRequest, 'out'>,
  { matrix, surroundings }: MatrixInPlace,
): string {
  const usual =
    matrix.name === defaultMatrix ? publishedFolder : join(publishedFolder, matrix.name);
  return inWorkingFolder(surroundings, request.out ?? usual);
}

interface MatrixInPlace {
  readonly matrix: Matrix;
  readonly surroundings: PlanSurroundings;
}

/** Reads the results of the matrix, and writes beside them, so that a few trials never replace the whole table. */
async function repeatFailed(request: PlanRequest, place: MatrixInPlace): Promise<SelectedPlan> {
  const folder = folderOfMatrix(request, place);
  const earlier = await readResults(folder);
  const ids = lastFailedIds(earlier.trials);
  if (ids.length === 0) {
    throw new UsageError(
      `nothing matched: every trial in ${folder} met its expectation; run the matrix without --last-failed`,
    );
  }
  const seed = request.seed ?? earlier.seed;
  const plan = planIds({ ...place.surroundings, ids, trialsPerCell: 1, seed });
  return {
    plan,
    outFolder: join(folder, lastFolder),
    command: commandFor(ids, { seed }),
  };
}

function commandFor(
  names: readonly string[],
  request: { readonly trials?: number; readonly seed: number },
): string {
  const trials = request.trials === undefined ? [] : ['--trials', String(request.trials)];
  return ['npx killpoint run', ...names.map(shellQuote), ...trials, '--seed', request.seed].join(
    ' ',
  );
}

function inWorkingFolder(surroundings: PlanSurroundings, folder: string): string {
  return resolve(surroundings.workingFolder, folder);
}

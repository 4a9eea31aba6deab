/** From what was named on the command line to a plan and the folder its results belong to. */
import { join, resolve } from 'node:path';
import { UsageError } from '../model/errors.ts';
import { partsOf, slicesOf, type WholeMatrix } from '../model/matrix.ts';
import type { Catalogue } from '../plan/catalogue-entry.ts';
import {
  assertSubjectsKnown,
  type LocatedMatrix,
  listMatrices,
  locateMatrix,
  readMatrix,
} from '../plan/matrix-file.ts';
import { expandMatrix } from '../plan/plan.ts';
import { planIds, targetsOfIds } from '../plan/plan-ids.ts';
import type { Shard } from '../plan/shard.ts';
import { historiesFolder } from '../results/history-path.ts';
import { lastFailedIds } from '../results/last-failed.ts';
import { readResults } from '../results/store.ts';
import type { Environment } from '../trial/lab.ts';
import { type LoadedCatalogue, loadCatalogue } from '../trial/run.ts';
import { defaultMatrix, readSelection, shellQuote } from './arguments.ts';
import { selectShard } from './select-shard.ts';
import type { SelectedPlan } from './selected-plan.ts';

export interface PlanRequest {
  /** Matrix or ids as typed. */
  readonly names: readonly string[];
  readonly trials?: number;
  readonly seed?: number;
  /** Where results go instead of the default. */
  readonly out?: string;
  /** Only what the last run of this selection left unmet. */
  readonly lastFailed: boolean;
  /** Only this part of the plan. */
  readonly shard?: Shard;
}

export interface PlanSurroundings {
  readonly catalogue: Catalogue;
  /** For the rails alone. */
  readonly environment: Environment;
  readonly matricesFolder: string;
  readonly workingFolder: string;
}

/** Published tables stand here; runs of single trials never write them. */
export const publishedFolder = 'results';
/** Where single trials and repeats go, below the folder they are repeats of. */
export const lastFolder = 'last';
const idsFolder = join(publishedFolder, lastFolder);

/** Throws UsageError for anything that can't be planned, and where nothing is left to run again. */
export async function selectPlan(
  request: PlanRequest,
  surroundings: PlanSurroundings,
): Promise<SelectedPlan> {
  const { shard, lastFailed } = request;
  if (shard === undefined) return await selectWhole(request, surroundings);
  if (lastFailed) {
    throw new UsageError(
      'expected --last-failed or --shard, got both; to repeat what a shard left unmet, name its folder: --last-failed --out FOLDER',
    );
  }
  const whole = await selectWhole(request, surroundings);
  const { matrix } = whole.plan;
  const usual = whole.chosen.from === 'ids' ? idsFolder : usualFolderOf(matrix);
  return selectShard(whole, {
    shard,
    isFolderNamed: request.out !== undefined,
    wholeFolders: [publishedFolder, usual].map((folder) => inWorkingFolder(surroundings, folder)),
  });
}

async function selectWhole(
  request: PlanRequest,
  surroundings: PlanSurroundings,
): Promise<SelectedPlan> {
  const selection = readSelection(request.names);
  const located = await locateMatrix({
    reference: selection.kind === 'matrix' ? selection.reference : defaultMatrix,
    matricesFolder: surroundings.matricesFolder,
    workingFolder: surroundings.workingFolder,
  });
  const matrix = await readMatrix(located, surroundings.matricesFolder);
  const place: MatrixInPlace = { matrix, located, surroundings };
  if (request.lastFailed) {
    if (selection.kind === 'ids') {
      throw new UsageError('expected --last-failed with a matrix or alone, got ids beside it');
    }
    return repeatFailed(request, place);
  }
  if (selection.kind === 'ids') {
    // Without a seed of its own a single trial is the one the default matrix runs.
    const seed = request.seed ?? matrix.seed;
    const subjects = await loadFor(surroundings, targetsOfIds(selection.ids));
    const plan = planIds({
      ...subjects,
      ids: selection.ids,
      trialsPerCell: request.trials ?? 1,
      seed,
    });
    const outFolder = inWorkingFolder(surroundings, request.out ?? idsFolder);
    return {
      plan,
      subjects,
      chosen: byIds(request.trials),
      outFolder,
      slices: [],
      command: commandFor(selection.ids, { ...request, seed }),
    };
  }
  assertSubjectsKnown(matrix, surroundings.catalogue);
  const outFolder = await folderOfMatrix(request, place);
  const subjects = await loadFor(
    surroundings,
    slicesOf(matrix).flatMap(({ targets }) => targets),
  );
  const plan = expandMatrix({
    matrix,
    ...subjects,
    ...(request.trials === undefined ? {} : { trialsPerCell: request.trials }),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
  });
  return {
    plan,
    subjects,
    chosen: {
      from: located.from,
      trialsPerCell: request.trials ?? null,
      exclusions: partsOf(matrix).flatMap(({ exclusions }) => exclusions),
    },
    outFolder,
    slices: slicesOf(matrix),
    command: commandFor([selection.reference], { ...request, seed: plan.seed }),
  };
}

/**
 * `results` for the default matrix, `results/NAME` for any other, unless a folder was named. Throws
 * UsageError where a matrix of the user's would write what belongs to another.
 */
async function folderOfMatrix(
  request: Pick<PlanRequest, 'out'>,
  { matrix, located, surroundings }: MatrixInPlace,
): Promise<string> {
  if (request.out !== undefined) return inWorkingFolder(surroundings, request.out);
  if (located.from === 'file') {
    const taken = [
      ...(await listMatrices(surroundings.matricesFolder)),
      lastFolder,
      historiesFolder,
    ];
    if (taken.includes(matrix.name)) {
      throw new UsageError(
        `expected a name of its own for the matrix ${located.path}, got "${matrix.name}", whose folder below ${publishedFolder} belongs to Killpoint; name another folder with --out, or change the name`,
      );
    }
  }
  return inWorkingFolder(surroundings, usualFolderOf(matrix.name));
}

function usualFolderOf(matrix: string): string {
  return matrix === defaultMatrix ? publishedFolder : join(publishedFolder, matrix);
}

interface MatrixInPlace {
  readonly matrix: WholeMatrix;
  readonly located: LocatedMatrix;
  readonly surroundings: PlanSurroundings;
}

/** Reads the results of the matrix, and writes beside them, so that a few trials never replace the whole table. */
async function repeatFailed(request: PlanRequest, place: MatrixInPlace): Promise<SelectedPlan> {
  const folder = await folderOfMatrix(request, place);
  const earlier = await readResults(folder);
  const ids = lastFailedIds(earlier.trials);
  if (ids.length === 0) {
    throw new UsageError(
      `nothing matched: every trial in ${folder} met its expectation; run the matrix without --last-failed`,
    );
  }
  const seed = request.seed ?? earlier.seed;
  const subjects = await loadFor(place.surroundings, targetsOfIds(ids));
  const plan = planIds({ ...subjects, ids, trialsPerCell: 1, seed });
  return {
    plan,
    subjects,
    chosen: byIds(1),
    outFolder: join(folder, lastFolder),
    slices: [],
    command: commandFor(ids, { seed }),
  };
}

/** Only the targets that are named: each costs a bundle and a rail. */
async function loadFor(
  { catalogue, environment }: PlanSurroundings,
  targets: readonly string[],
): Promise<LoadedCatalogue> {
  return await loadCatalogue(catalogue, environment, targets);
}

function byIds(trialsPerCell: number | undefined): SelectedPlan['chosen'] {
  return { from: 'ids', trialsPerCell: trialsPerCell ?? 1, exclusions: [] };
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

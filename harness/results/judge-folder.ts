/**
 * Judges stored results again: every verdict, record and count is made anew from the histories, and
 * every difference is named. Nothing is run. Reading stands here and comparing in `compare-trial.ts`
 * and `compare-run.ts`, so that the comparison can be shown differences that no disk holds.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { judge } from '../checkers/judge.ts';
import { UsageError } from '../model/errors.ts';
import { expectedFindings } from '../model/lacking.ts';
import type { Matrix } from '../model/matrix.ts';
import { parseHistory } from '../model/parse-history.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { listMatrices, loadMatrix } from '../plan/matrix-file.ts';
import { comparePlan, compareRun } from './compare-run.ts';
import { compareTrial, type Rejudged } from './compare-trial.ts';
import { type Difference, difference } from './differences.ts';
import { historiesFolder, historyPath } from './history-path.ts';
import { recordTrial } from './record.ts';
import { readResults } from './store.ts';

export interface JudgedFolder {
  readonly results: Results;
  readonly differences: readonly Difference[];
  /** How many histories were read. */
  readonly histories: number;
  /** What could not be compared, and why. */
  readonly skipped: readonly string[];
}

export interface JudgeInput {
  readonly folder: string;
  /** Where the package's matrices stand, to plan anew what came from one of them. */
  readonly matricesFolder: string;
}

/** Throws UsageError when the folder holds no results of a known format. */
export async function judgeFolder({ folder, matricesFolder }: JudgeInput): Promise<JudgedFolder> {
  const results = await readResults(folder);
  const found = await findHistories(folder);
  const { differences, histories } = await judgeTrials(folder, results, found);
  const plan = await planAgain(results, matricesFolder);
  return {
    results,
    histories,
    skipped: plan.skipped === null ? [] : [plan.skipped],
    differences: [
      ...compareRun(results),
      ...plan.differences,
      ...found.differences,
      ...differences,
      ...unlistedIn(found, [results]),
    ],
  };
}

export interface JudgedTrials {
  readonly differences: readonly Difference[];
  /** As they are judged now; as they are stored where no history says otherwise. */
  readonly records: readonly TrialRecord[];
  /** How many histories were read. */
  readonly histories: number;
}

export async function judgeTrials(
  folder: string,
  results: Results,
  found: FoundHistories,
): Promise<JudgedTrials> {
  const differences: Difference[] = [];
  const records: TrialRecord[] = [];
  let histories = 0;
  for (const stored of results.trials) {
    const rejudged = found.files.has(fileName(stored.id))
      ? await rejudge(folder, stored)
      : ({ kind: 'missing' } as const);
    if (rejudged.kind !== 'missing') histories += 1;
    records.push(rejudged.kind === 'judged' ? rejudged.record : stored);
    differences.push(...compareTrial(stored, rejudged, results));
  }
  return { differences, records, histories };
}

/** Histories that none of the results lists. */
export function unlistedIn(
  found: FoundHistories,
  all: readonly Pick<Results, 'trials'>[],
): readonly Difference[] {
  const listed = new Set(all.flatMap(({ trials }) => trials.map(({ id }) => fileName(id))));
  return [...found.files]
    .filter((file) => !listed.has(file))
    .map((file) => difference('history-unlisted', file, 'a history that no record lists'));
}

/** Only a matrix of the package can be known to be the one that was run. */
async function planAgain(
  results: Results,
  matricesFolder: string,
): Promise<ReturnType<typeof comparePlan>> {
  const nothing = { differences: [], skipped: null };
  if (results.plan.from !== 'package') return nothing;
  const known = await listMatrices(matricesFolder);
  if (!known.includes(results.matrix)) {
    const skipped = `the plan was not compared: the package has no matrix ${results.matrix} any more`;
    return { differences: [], skipped };
  }
  let matrix: Matrix;
  try {
    const reference = results.matrix;
    matrix = await loadMatrix({ reference, matricesFolder, workingFolder: matricesFolder });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { differences: [], skipped: `the plan was not compared: ${error.message}` };
  }
  return comparePlan(results, matrix);
}

/** Whatever can't be read or parsed is said of its trial; a fault of a checker's is inside its verdict. */
async function rejudge(folder: string, stored: TrialRecord): Promise<Rejudged> {
  let historySha256: string | null = null;
  try {
    const path = historyPath(folder, stored.id);
    // A pipe or a device would be read for ever.
    if (!(await stat(path)).isFile()) {
      return { kind: 'unreadable', why: 'expected a file, got something else', historySha256 };
    }
    const bytes = await readFile(path);
    historySha256 = createHash('sha256').update(bytes).digest('hex');
    const history = parseHistory(bytes.toString('utf8'));
    const { spec } = history;
    const expected = expectedFindings(spec);
    const record = recordTrial({
      spec,
      history,
      verdict: judge(spec, history, expected),
      historySha256,
      durationMs: stored.durationMs ?? 0,
      expectedFindings: expected,
    });
    return { kind: 'judged', record, spec };
  } catch (error) {
    return { kind: 'unreadable', why: messageOf(error), historySha256 };
  }
}

export interface FoundHistories {
  readonly files: ReadonlySet<string>;
  readonly differences: readonly Difference[];
}

export async function findHistories(folder: string): Promise<FoundHistories> {
  try {
    const names = await readdir(join(folder, historiesFolder));
    return { files: new Set(names.filter((name) => name.endsWith('.jsonl'))), differences: [] };
  } catch (error) {
    const nothing = new Set<string>();
    // Histories are not committed, so a fresh clone has tables and no folder for them.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { files: nothing, differences: [] };
    }
    const message = `expected a folder that can be read at ${join(folder, historiesFolder)}, got: ${messageOf(error)}`;
    return { files: nothing, differences: [difference('histories-unreadable', null, message)] };
  }
}

function fileName(trialId: string): string {
  return basename(historyPath('', trialId));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

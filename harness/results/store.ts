/**
 * Results on disk: `chaos.json` and `chaos.md` in one folder, histories below it. Each file is
 * written whole or not at all. Before a run starts its folder already says that nothing has run,
 * so whatever ends the run, no older table can be taken for this one's.
 */
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { UsageError } from '../model/errors.ts';
import { type Results, resultsSchema } from '../model/results.ts';
import { formatShard } from '../plan/shard.ts';
import { historiesFolder } from './history-path.ts';

export const resultsFile = 'chaos.json';
export const tablesFile = 'chaos.md';

export interface StoredRun {
  readonly results: Results;
  /** The rendered tables that belong to them. */
  readonly markdown: string;
}

/** Throws UsageError when the folder can't be made, or what stands in it must not be replaced. */
export async function makeResultsFolder(folder: string): Promise<void> {
  await orRefuse(folder, async () => {
    await makeFolder(join(folder, historiesFolder));
    for (const file of [resultsFile, tablesFile]) await assertReplaceable(join(folder, file));
  });
}

/**
 * Makes the folder say that this run has not happened yet, and drops the histories of an earlier
 * one. Throws UsageError when the folder can't be written.
 */
export async function beginRun(folder: string, pending: StoredRun): Promise<void> {
  await makeResultsFolder(folder);
  await orRefuse(folder, async () => {
    await writeResults(folder, pending);
    await dropHistories(folder);
  });
}

/** Drops the histories of an earlier run, where nothing else of it has to be replaced first. */
export async function clearHistories(folder: string): Promise<void> {
  await makeResultsFolder(folder);
  await orRefuse(folder, () => dropHistories(folder));
}

/** The tables go first: a `chaos.json` that reads as green always has its tables beside it. */
export async function writeResults(folder: string, run: StoredRun): Promise<void> {
  await writeFileAtomic(join(folder, tablesFile), run.markdown);
  await writeFileAtomic(join(folder, resultsFile), formatResults(run.results));
}

/** Throws UsageError when there are none or they do not fit the format. */
export async function readResults(folder: string): Promise<Results> {
  const path = join(folder, resultsFile);
  return parseResults(await readText(path), path);
}

/**
 * Throws UsageError for a shard: a table made from it would call missing what other shards tried.
 * `place` is where the results were read.
 */
export function assertWhole({ plan, matrix }: Results, place: string): void {
  const { shard } = plan;
  if (shard === null) return;
  throw new UsageError(
    `expected results of a whole plan in ${place}, got shard ${formatShard(shard)} of ${matrix}: it says nothing of what other shards tried, so that no table is made from it; put them together first: npx killpoint merge FOLDER... --out FOLDER`,
  );
}

/** Undefined when the folder holds none. */
export async function findResults(folder: string): Promise<Results | undefined> {
  return existsSync(join(folder, resultsFile)) ? await readResults(folder) : undefined;
}

/** One trial a line, so that a change of one trial is a change of one line. */
export function formatResults(results: Results): string {
  const { trials, ...rest } = results;
  const head = JSON.stringify(rest, null, 2).replace(/\n}$/, '');
  const lines = trials.map((trial) => `    ${JSON.stringify(trial)}`);
  const list = lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n  ]`;
  return `${head},\n  "trials": ${list}\n}\n`;
}

export function parseResults(text: string, path: string): Results {
  const parsed = resultsSchema.safeParse(parseJson(text, path));
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `expected results of format 1 in ${path}, got something else; run the matrix again\n${z.prettifyError(parsed.error)}`,
  );
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `expected results at ${path}, got: ${messageOf(error)}; name a folder that \`killpoint run\` has written`,
      { cause: error },
    );
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `expected JSON in ${path}, got: ${messageOf(error)}; run the matrix again`,
      { cause: error },
    );
  }
}

async function orRefuse(folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new UsageError(
      `expected a folder that can be written at ${folder}, got: ${messageOf(error)}; choose another with --out`,
      { cause: error },
    );
  }
}

const anyWriteBit = 0o222;

/**
 * A file is replaced by renaming, which asks the folder and not the file: one that was made read-only
 * would be gone all the same. Root may write whatever the mode says, so the mode is looked at too.
 */
async function assertReplaceable(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const file = await open(path, 'r+');
  try {
    const { mode } = await file.stat();
    if ((mode & anyWriteBit) === 0) throw new Error(`${path} is read-only`);
  } finally {
    await file.close();
  }
}

/** One level at a time: Node's recursive mkdir never returns where the kernel answers ENOENT, as below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  try {
    await mkdir(folder);
  } catch (error) {
    // Somebody else may have made it in between.
    if (!existsSync(folder)) throw error;
  }
}

/** Only what a run writes is dropped, since the folder is the user's choice. */
async function dropHistories(folder: string): Promise<void> {
  const histories = join(folder, historiesFolder);
  for (const name of await readdir(histories)) {
    const written = name.endsWith('.jsonl') || name.endsWith('.evidence');
    if (written) await rm(join(histories, name), { force: true, recursive: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

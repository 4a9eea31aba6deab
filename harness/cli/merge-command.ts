/** `killpoint merge DIR... --out DIR`: shards of one plan put together, written and told like a run. */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../model/errors.ts';
import { slicesOf } from '../model/matrix.ts';
import { type Results, resultsSchema } from '../model/results.ts';
import { listMatrices, loadMatrix } from '../plan/matrix-file.ts';
import { renderMarkdown } from '../reports/markdown.ts';
import { renderTerminal } from '../reports/terminal.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { mergeResults } from '../results/merge.ts';
import { copyHistories, readShard, type ShardFolder } from '../results/merge-folders.ts';
import { beginRun, writeResults } from '../results/store.ts';
import type { CliContext } from './context.ts';
import { holdingFolder } from './holding-folder.ts';
import { noteWritten } from './run-command.ts';
import { readStory } from './run-selected.ts';

export interface MergeRequest {
  readonly folders: readonly string[];
  readonly out: string;
}

/** Nothing is written before every shard has been checked against its histories. */
export async function mergeCommand(
  context: CliContext,
  { folders, out }: MergeRequest,
): Promise<ResultsExitCode> {
  const outFolder = resolve(context.workingFolder, out);
  const shards: ShardFolder[] = [];
  for (const folder of folders) {
    const path = resolve(context.workingFolder, folder);
    assertElsewhere(path, outFolder);
    shards.push(await readShard(folder, path));
  }
  const results = mergeResults(shards);
  // What is stored is what the schema says, or the command has not ended well.
  resultsSchema.parse(results);
  await holdingFolder(context, outFolder, async () => {
    const pending = { ...results, finished: false };
    await beginRun(outFolder, { results: pending, markdown: renderMarkdown(pending) });
    for (const shard of shards) await copyHistories(shard, outFolder);
    const story = await findStory(context, outFolder, results);
    await writeResults(outFolder, { results, markdown: renderMarkdown(results, story) });
  });
  context.print(renderTerminal(results, context));
  noteWritten(context, outFolder);
  return exitCodeOf(results);
}

/** Its histories would be dropped before they are copied. */
function assertElsewhere(path: string, outFolder: string): void {
  const isSame =
    path === outFolder ||
    (existsSync(path) && existsSync(outFolder) && realpathSync(path) === realpathSync(outFolder));
  if (!isSame) return;
  throw new UsageError(
    `expected a folder for the whole that is none of the shards, got ${outFolder}; name another with --out`,
  );
}

/** Chapters stand in the matrix alone, and only one of the package's can be found by its name. */
async function findStory(context: CliContext, outFolder: string, results: Results) {
  const { matricesFolder } = context;
  const isKnown =
    results.plan.from === 'package' &&
    (await listMatrices(matricesFolder)).includes(results.matrix);
  if (!isKnown) return undefined;
  const matrix = await loadMatrix({
    reference: results.matrix,
    matricesFolder,
    workingFolder: matricesFolder,
  });
  return await readStory({ title: matrix.title, slices: slicesOf(matrix), outFolder }, results);
}

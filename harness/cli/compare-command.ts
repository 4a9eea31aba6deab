/** `killpoint compare [RESULTS]`: what each gate did in the same crashes, side by side, written and summed up. */
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { comparisonSchema } from '../model/comparison.ts';
import { UsageError } from '../model/errors.ts';
import type { Results } from '../model/results.ts';
import { compareGates } from '../reports/comparison.ts';
import {
  conclude,
  formatComparison,
  renderComparison,
  renderTallies,
} from '../reports/comparison-markdown.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { assertWhole, parseResults, readResults } from '../results/store.ts';
import type { CliContext } from './context.ts';

export interface CompareRequest {
  /** A results folder, or a file of results. */
  readonly source: string;
  /** Where it goes, without `.md` and `.json`. */
  readonly out: string;
}

/** The code is the run's: a comparison of trials that proved nothing shows nothing either. */
export async function compareCommand(
  context: CliContext,
  { source, out }: CompareRequest,
): Promise<ResultsExitCode> {
  const path = resolve(context.workingFolder, source);
  const results = path.endsWith('.json') ? await readResultsFile(path) : await readResults(path);
  assertWhole(results, path);
  const comparison = compareGates(results, relative(context.workingFolder, path) || '.');
  if (comparison === undefined) {
    throw new UsageError(
      `nothing to compare in ${path}: expected two gates that met the same crash, one of them without a missing rule, got ${describeGates(results)}; npm run comparison runs the matrix made for it`,
    );
  }
  // What is stored is what the schema says, or the command has not ended well.
  comparisonSchema.parse(comparison);
  const stem = resolve(context.workingFolder, out);
  await write(`${stem}.md`, renderComparison(comparison));
  await write(`${stem}.json`, formatComparison(comparison));
  const shown = relative(context.workingFolder, stem);
  context.print(
    `${renderTallies(comparison, context.width)}\n${comparison.rows.length} crashes that more than one gate met. ${conclude(comparison)}\n`,
  );
  context.note(`Written: ${shown}.md, ${shown}.json\n`);
  return exitCodeOf(results);
}

function describeGates({ gates, trials }: Results): string {
  const names = gates.map(({ name }) => name).join(', ');
  return `${names === '' ? 'no gate' : names} and ${trials.length} records`;
}

async function readResultsFile(path: string): Promise<Results> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `expected results at ${path}, got: ${messageOf(error)}; name a file or folder that \`killpoint run\` has written`,
      { cause: error },
    );
  }
  return parseResults(text, path);
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(path, text);
  } catch (error) {
    throw new UsageError(
      `expected a file that can be written at ${path}, got: ${messageOf(error)}; choose another with --out`,
      { cause: error },
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

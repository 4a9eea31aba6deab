/** `killpoint run`: plan, run, store, tell. */
import { relative } from 'node:path';
import { renderTerminal } from '../reports/terminal.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { resultsFile, tablesFile } from '../results/store.ts';
import type { CliContext } from './context.ts';
import { type RunSettings, runSelected } from './run-selected.ts';
import { type PlanRequest, selectPlan } from './select-plan.ts';
import { withShare } from './with-share.ts';

export type RunRequest = PlanRequest & RunSettings;

/** Whatever ends it, nothing of it stays in the temporary folder. */
export async function runCommand(
  context: CliContext,
  request: RunRequest,
): Promise<ResultsExitCode> {
  const removeTemporaryFolder = context.openTemporaryFolder();
  try {
    const selected = await withShare(context, await selectPlan(request, context));
    const results = await runSelected(context, selected, request);
    context.print(renderTerminal(results, context));
    noteWritten(context, selected.outFolder);
    return exitCodeOf(results);
  } finally {
    removeTemporaryFolder();
  }
}

export function noteWritten({ workingFolder, note }: CliContext, folder: string): void {
  const shown = relative(workingFolder, folder) || '.';
  note(
    `Written: ${shown}/${resultsFile}, ${shown}/${tablesFile}; judge again with: npx killpoint judge ${shown}\n`,
  );
}

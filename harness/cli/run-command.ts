/** `killpoint run`: plan, run, store, tell. */
import { relative } from 'node:path';
import { type Results, resultsSchema } from '../model/results.ts';
import type { Plan } from '../plan/plan.ts';
import { named } from '../plan/plan.ts';
import { renderMarkdown } from '../reports/markdown.ts';
import { startProgress } from '../reports/progress.ts';
import { counted } from '../reports/rerun.ts';
import { type StoryInput, tellsStory } from '../reports/story.ts';
import { renderTerminal } from '../reports/terminal.ts';
import { assembleResults, type RunEnd, type RunFacts } from '../results/assemble.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { hashPlan } from '../results/plan-hash.ts';
import { excludedRecord, notRunRecord } from '../results/record.ts';
import { beginRun, resultsFile, tablesFile, writeResults } from '../results/store.ts';
import { subjectsOf } from '../results/subjects.ts';
import { loadCatalogue, runPlan } from '../trial/run.ts';
import { usualWorkers } from '../trial/usual-workers.ts';
import type { CliContext } from './context.ts';
import { readEnvironment } from './environment.ts';
import { holdingFolder } from './holding-folder.ts';
import { readJournals } from './read-journals.ts';
import {
  type PlanRequest,
  type PlanSurroundings,
  type SelectedPlan,
  selectPlan,
} from './select-plan.ts';

export interface RunRequest extends PlanRequest {
  /** Trials side by side; what the cores can do when absent. */
  readonly workers?: number;
  readonly bail: boolean;
}

/** Whatever ends it, nothing of it stays in the temporary folder. */
export async function runCommand(
  context: CliContext,
  request: RunRequest,
): Promise<ResultsExitCode> {
  const removeTemporaryFolder = context.openTemporaryFolder();
  try {
    const surroundings = {
      ...context,
      ...(await loadCatalogue(context.catalogue, context.environment)),
    };
    const selected = await selectPlan(request, surroundings);
    return await holdingFolder(context, selected.outFolder, (signal) =>
      runSelected(context, { request, selected, surroundings, signal }),
    );
  } finally {
    removeTemporaryFolder();
  }
}

interface SelectedRun {
  readonly request: RunRequest;
  readonly selected: SelectedPlan;
  readonly surroundings: PlanSurroundings;
  readonly signal: AbortSignal;
}

async function runSelected(context: CliContext, run: SelectedRun): Promise<ResultsExitCode> {
  const { plan, chosen, outFolder, command } = run.selected;
  const workers = run.request.workers ?? usualWorkers(context.cores);
  const facts: RunFacts = {
    version: context.version,
    environment: await readEnvironment(),
    matrix: plan.matrix,
    plan: { ...chosen, idsSha256: hashPlan(plan) },
    ...subjectsOf(plan, run.surroundings),
    command,
    seed: plan.seed,
    workers,
  };
  const pending = assembleResults(facts, notRunYet(plan, run.surroundings));
  await beginRun(outFolder, { results: pending, markdown: renderMarkdown(pending) });
  const shownFolder = relative(context.workingFolder, outFolder) || '.';
  context.note(
    `${plan.title}: ${counted(plan.trials.length, 'trial')}, ${plan.excluded.length} excluded, ${workers} at a time, seed ${plan.seed}, into ${shownFolder}\n`,
  );

  const results = assembleResults(facts, await runWatched(context, { ...run, workers }));
  // What is stored is what the schema says, or the run has not ended well.
  resultsSchema.parse(results);
  const story = await readStory(run.selected, results);
  await writeResults(outFolder, { results, markdown: renderMarkdown(results, story) });
  context.print(renderTerminal(results, context));
  context.note(
    `Written: ${shownFolder}/${resultsFile}, ${shownFolder}/${tablesFile}; judge again with: npx killpoint judge ${shownFolder}\n`,
  );
  return exitCodeOf(results);
}

/** Undefined where the matrix tells none: then no history is read again. */
async function readStory(
  { plan, slices, outFolder }: SelectedPlan,
  results: Results,
): Promise<StoryInput | undefined> {
  return tellsStory(slices)
    ? { title: plan.title, slices, journals: await readJournals(outFolder, results) }
    : undefined;
}

/** Shows progress, and notes what memory the harness takes. */
async function runWatched(
  context: CliContext,
  { request, selected, surroundings, signal, workers }: SelectedRun & { readonly workers: number },
): Promise<RunEnd> {
  const { plan, outFolder } = selected;
  const progress = startProgress({
    stream: context.progressStream,
    isTerminal: context.progressIsTerminal,
    total: plan.trials.length,
    now: () => performance.now(),
  });
  const memory = memoryWatch(plan.trials.length, context.residentMemoryBytes);
  try {
    const outcome = await runPlan({
      plan,
      gates: surroundings.gates,
      targets: surroundings.targets,
      workers,
      outDir: outFolder,
      bail: request.bail,
      signal,
      environment: context.environment,
      onTrial: (record, done, total) => {
        progress.onTrial(record, done, total);
        memory.note(done);
      },
    });
    return { ...outcome, memory: memory.read() };
  } finally {
    progress.stop();
  }
}

/** Memory after a tenth of the trials, when everything has been loaded once, beside memory at the end. */
function memoryWatch(total: number, residentMemoryBytes: () => number) {
  const tenth = Math.ceil(total / 10);
  const readMiB = () => Math.round(residentMemoryBytes() / 2 ** 20);
  let afterTenthMiB: number | null = null;
  return {
    note(done: number): void {
      if (done === tenth) afterTenthMiB = readMiB();
    },
    read: (): Results['memory'] =>
      afterTenthMiB === null ? null : { afterTenthMiB, atEndMiB: readMiB() },
  };
}

/** What the folder says until the run has ended: nothing ran. */
function notRunYet(plan: Plan, { gates, targets }: PlanSurroundings): RunEnd {
  const records: Results['trials'] = [
    ...plan.trials.map((trial) =>
      notRunRecord(trial, 'the run began and did not come to its end', {
        gate: named(gates, trial.cell.gate, 'gate'),
        target: named(targets, trial.cell.target, 'target'),
      }),
    ),
    ...plan.excluded.map((cell) => excludedRecord(cell, plan.seed)),
  ];
  return { records, startedAt: new Date().toISOString(), durationMs: 0, finished: false };
}

/** `killpoint run`: plan, run, store, tell. */
import { relative } from 'node:path';
import { type Results, resultsSchema } from '../model/results.ts';
import type { Plan } from '../plan/plan.ts';
import { named } from '../plan/plan.ts';
import { renderMarkdown } from '../reports/markdown.ts';
import { startProgress } from '../reports/progress.ts';
import { counted } from '../reports/rerun.ts';
import { renderTerminal } from '../reports/terminal.ts';
import { assembleResults, type RunEnd, type RunFacts } from '../results/assemble.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { excludedRecord, notRunRecord } from '../results/record.ts';
import { beginRun, resultsFile, tablesFile, writeResults } from '../results/store.ts';
import { loadCatalogue, runPlan } from '../trial/run.ts';
import type { CliContext } from './context.ts';
import { readEnvironment } from './environment.ts';
import { type PlanRequest, type PlanSurroundings, selectPlan } from './select-plan.ts';

export interface RunRequest extends PlanRequest {
  /** Trials side by side; the number of cores when absent. */
  readonly workers?: number;
  readonly bail: boolean;
}

export async function runCommand(
  context: CliContext,
  request: RunRequest,
): Promise<ResultsExitCode> {
  const surroundings = { ...context, ...(await loadCatalogue(context.catalogue)) };
  const { plan, outFolder, command } = await selectPlan(request, surroundings);
  const workers = request.workers ?? context.cores;
  const facts: RunFacts = {
    version: context.version,
    environment: await readEnvironment(),
    matrix: plan.matrix,
    command,
    seed: plan.seed,
    workers,
  };
  const pending = assembleResults(facts, notRunYet(plan, surroundings));
  await beginRun(outFolder, { results: pending, markdown: renderMarkdown(pending) });
  const shownFolder = relative(context.workingFolder, outFolder) || '.';
  context.note(
    `${plan.title}: ${counted(plan.trials.length, 'trial')}, ${plan.excluded.length} excluded, ${workers} at a time, seed ${plan.seed}, into ${shownFolder}\n`,
  );

  const results = assembleResults(
    facts,
    await runWatched(context, { request, plan, outFolder, workers, surroundings }),
  );
  // What is stored is what the schema says, or the run has not ended well.
  resultsSchema.parse(results);
  await writeResults(outFolder, { results, markdown: renderMarkdown(results) });
  context.print(renderTerminal(results, context));
  context.note(
    `Written: ${shownFolder}/${resultsFile}, ${shownFolder}/${tablesFile}; judge again with: npx killpoint judge ${shownFolder}\n`,
  );
  return exitCodeOf(results);
}

interface Watched {
  readonly request: RunRequest;
  readonly plan: Plan;
  readonly outFolder: string;
  readonly workers: number;
  readonly surroundings: PlanSurroundings;
}

/** Shows progress, and turns the first request to stop into an abort of the run. */
async function runWatched(context: CliContext, watched: Watched): Promise<RunEnd> {
  const { plan, outFolder, workers, request, surroundings } = watched;
  const abort = new AbortController();
  const progress = startProgress({
    stream: context.progressStream,
    isTerminal: context.progressIsTerminal,
    total: plan.trials.length,
    now: () => performance.now(),
  });
  const stopListening = context.onInterrupt(() => abort.abort());
  const memory = memoryWatch(plan.trials.length, context.residentMemoryBytes);
  try {
    const outcome = await runPlan({
      plan,
      gates: surroundings.gates,
      targets: surroundings.targets,
      workers,
      outDir: outFolder,
      bail: request.bail,
      signal: abort.signal,
      onTrial: (record, done, total) => {
        progress.onTrial(record, done, total);
        memory.note(done);
      },
    });
    return { ...outcome, memory: memory.read() };
  } finally {
    stopListening();
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

/** A selected plan is run, watched and stored in its folder; what is told of it is the command's. */
import { relative } from 'node:path';
import { type Results, resultsSchema } from '../model/results.ts';
import type { Plan } from '../plan/plan.ts';
import { named } from '../plan/plan.ts';
import { renderMarkdown } from '../reports/markdown.ts';
import { startProgress } from '../reports/progress.ts';
import { counted } from '../reports/rerun.ts';
import { type StoryInput, tellsStory } from '../reports/story.ts';
import { assembleResults, type RunEnd, type RunFacts } from '../results/assemble.ts';
import { hashPlan } from '../results/plan-hash.ts';
import { excludedRecord, notRunRecord } from '../results/record.ts';
import { beginRun, writeResults } from '../results/store.ts';
import { subjectsOf } from '../results/subjects.ts';
import { type LoadedCatalogue, runPlan } from '../trial/run.ts';
import { usualWorkers } from '../trial/usual-workers.ts';
import type { CliContext } from './context.ts';
import { readEnvironment } from './environment.ts';
import { holdingFolder } from './holding-folder.ts';
import { readJournals } from './read-journals.ts';
import type { SelectedPlan } from './selected-plan.ts';

export interface RunSettings {
  /** Trials side by side; what the cores can do when absent. */
  readonly workers?: number;
  readonly bail: boolean;
}

/** Resolves to what was stored, also when it was interrupted; the folder is this run’s alone until then. */
export async function runSelected(
  context: CliContext,
  selected: SelectedPlan,
  settings: RunSettings,
): Promise<Results> {
  return await holdingFolder(context, selected.outFolder, (signal) =>
    runAndStore(context, { settings, selected, signal }),
  );
}

interface SelectedRun {
  readonly settings: RunSettings;
  readonly selected: SelectedPlan;
  readonly signal: AbortSignal;
}

async function runAndStore(context: CliContext, run: SelectedRun): Promise<Results> {
  const { plan, subjects, outFolder, command, part } = run.selected;
  const workers = run.settings.workers ?? usualWorkers(context.cores);
  const facts: RunFacts = {
    version: context.version,
    environment: await readEnvironment(),
    matrix: plan.matrix,
    plan: planFactsOf(run.selected),
    // A shard tells of all that its plan tells of, so that shards can be seen to be of one.
    ...subjectsOf(part?.whole ?? plan, subjects),
    command,
    seed: plan.seed,
    workers,
  };
  const pending = assembleResults(facts, notRunYet(plan, subjects));
  await beginRun(outFolder, { results: pending, markdown: renderMarkdown(pending) });
  const shownFolder = relative(context.workingFolder, outFolder) || '.';
  context.note(
    `${plan.title}: ${counted(plan.trials.length, 'trial')}, ${plan.excluded.length} excluded, ${workers} at a time, seed ${plan.seed}, into ${shownFolder}\n`,
  );

  const results = assembleResults(facts, await runWatched(context, { ...run, workers }));
  // What is stored is what the schema says, or the run has not ended well.
  resultsSchema.parse(results);
  const story = await readStory({ ...run.selected, title: plan.title }, results);
  await writeResults(outFolder, { results, markdown: renderMarkdown(results, story) });
  return results;
}

function planFactsOf({ plan, chosen, part, share }: SelectedPlan): Results['plan'] {
  const shard =
    part === undefined
      ? null
      : { ...part.shard, idsSha256: hashPlan(part.whole), command: part.command };
  return { ...chosen, idsSha256: hashPlan(plan), shard, share: share ?? null };
}

interface StorySource extends Omit<StoryInput, 'journals'> {
  readonly outFolder: string;
}

/** Undefined where the matrix tells none: then no history is read again. */
export async function readStory(
  { title, slices, outFolder }: StorySource,
  results: Results,
): Promise<StoryInput | undefined> {
  return tellsStory(slices)
    ? { title, slices, journals: await readJournals(outFolder, results) }
    : undefined;
}

/** Shows progress, and notes what memory the harness takes. */
async function runWatched(
  context: CliContext,
  { settings, selected, signal, workers }: SelectedRun & { readonly workers: number },
): Promise<RunEnd> {
  const { plan, subjects, outFolder } = selected;
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
      ...subjects,
      workers,
      outDir: outFolder,
      bail: settings.bail,
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
function notRunYet(plan: Plan, { gates, targets }: LoadedCatalogue): RunEnd {
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

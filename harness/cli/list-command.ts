/** `killpoint list`: what a run would do, without doing it. */
import type { Results } from '../model/results.ts';
import type { DeclaredTarget } from '../plan/catalogue-entry.ts';
import type { Plan } from '../plan/plan.ts';
import { type PlanSummary, summarizePlan } from '../plan/plan-summary.ts';
import { counted, formatDuration } from '../reports/rerun.ts';
import { textTable } from '../reports/text-table.ts';
import { findResults } from '../results/store.ts';
import { usualWorkers } from '../trial/usual-workers.ts';
import type { CliContext } from './context.ts';
import { type PlanRequest, selectPlan } from './select-plan.ts';
import type { SelectedPlan } from './selected-plan.ts';

export interface ListRequest extends Omit<PlanRequest, 'lastFailed'> {
  readonly workers?: number;
  readonly form: 'table' | 'json' | 'ids';
}

/** On the machine this was measured on: 433 trials in 51.4 s with three workers on two cores. */
const assumedMsPerTrialAndWorker = 356;

export interface TimeEstimate {
  readonly ms: number;
  readonly basis: 'earlier-run' | 'assumed';
}

export async function listCommand(context: CliContext, request: ListRequest): Promise<0 | 2> {
  const { plan, outFolder } = await readPlan(context, request);
  const summary = summarizePlan(plan);
  const workers = request.workers ?? usualWorkers(context.cores);
  const estimate = estimateTime(plan.trials.length, workers, await findResults(outFolder));
  switch (request.form) {
    case 'ids':
      context.print(plan.trials.map(({ id }) => `${id}\n`).join(''));
      break;
    case 'json':
      context.print(
        `${JSON.stringify({ ...withoutGlosses(summary), workers, estimate }, null, 2)}\n`,
      );
      break;
    case 'table':
      context.print(renderSummary(summary, { estimate, workers, width: context.width }));
      break;
    default:
      request.form satisfies never;
  }
  return plan.trials.length === 0 ? 2 : 0;
}

/** Programs have the kill's id. */
function withoutGlosses(summary: PlanSummary) {
  return { ...summary, rows: summary.rows.map(({ gloss: _, ...row }) => row) };
}

/** What targets declare is read from the modules themselves, which are bundled for it. */
async function readPlan(context: CliContext, request: ListRequest): Promise<SelectedPlan> {
  const removeTemporaryFolder = context.openTemporaryFolder();
  try {
    return await selectPlan({ ...request, lastFailed: false }, context);
  } finally {
    removeTemporaryFolder();
  }
}

/** From an earlier run's pace where there is one: it holds this machine's speed and its crowding. */
export function estimateTime(
  trials: number,
  workers: number,
  earlier: Pick<Results, 'counts' | 'durationMs' | 'workers'> | undefined,
): TimeEstimate {
  const ran =
    earlier === undefined
      ? 0
      : earlier.counts.holds + earlier.counts.violated + earlier.counts.inconclusive;
  if (earlier === undefined || ran === 0) {
    return { ms: Math.round((trials * assumedMsPerTrialAndWorker) / workers), basis: 'assumed' };
  }
  const msPerTrialAndWorker = (earlier.durationMs * earlier.workers) / ran;
  return { ms: Math.round((trials * msPerTrialAndWorker) / workers), basis: 'earlier-run' };
}

/** What a call costs that is not answered in time, and a look that has to wait, besides what any trial takes. */
export function estimateTrials(plan: Plan, target: DeclaredTarget, workers: number): number {
  const { clientTimeoutMs, lookup, absence } = target.declaration;
  const landingMs = typeof absence === 'object' ? absence.landingBoundMs : 0;
  const waitsMs = plan.trials.reduce((sum, { cell }) => {
    const unanswered = cell.fault.fault === 'slow' || cell.fault.fault === 'late-apply';
    const looks = lookup === null || cell.kill === 'before_wal' ? 0 : lookup.lagMs + landingMs;
    return sum + (unanswered ? clientTimeoutMs : 0) + looks;
  }, 0);
  return Math.round((plan.trials.length * assumedMsPerTrialAndWorker + waitsMs) / workers);
}

interface ListingFacts {
  readonly estimate: TimeEstimate;
  readonly workers: number;
  readonly width: number;
}

function renderSummary(summary: PlanSummary, facts: ListingFacts): string {
  const table = textTable({
    head: ['gate', 'target', 'killed at', 'what had happened', 'trials', 'excluded'],
    rows: summary.rows.map((row) => [
      row.gate,
      row.target,
      row.kill,
      row.gloss,
      String(row.trials),
      String(row.excluded),
    ]),
    flexible: 3,
    width: facts.width,
  });
  const basis =
    facts.estimate.basis === 'earlier-run' ? 'by the pace of the last run' : 'assumed, no run yet';
  return [
    `${summary.matrix}: ${summary.title}`,
    table,
    ...(summary.reasons.length === 0 ? [] : ['Excluded, and why:']),
    ...summary.reasons.map(({ reason, cells }) => `  ${cells} × ${reason}`),
    `${counted(summary.trials, 'trial')} and ${counted(summary.excluded, 'excluded cell')}, seed ${summary.seed}; about ${formatDuration(facts.estimate.ms)} with ${facts.workers} at a time (${basis})`,
    '',
  ].join('\n');
}

/** `killpoint certify gate`: whether a gate of somebody else's holds, and which rule it lacks if not. */
import { relative, resolve } from 'node:path';
import { diagnose } from '../certify/diagnose.ts';
import { ownTarget } from '../certify/own-target.ts';
import { killsFor, planGate } from '../certify/plan-gate.ts';
import { probeGate } from '../certify/probe-gate.ts';
import { parseId } from '../model/cell.ts';
import { UsageError } from '../model/errors.ts';
import { announcedPointOf, killPointFacts, killPointNames } from '../model/kill-points.ts';
import type { GateEntry, TargetEntry } from '../plan/catalogue-entry.ts';
import { named, type Plan } from '../plan/plan.ts';
import { planIds } from '../plan/plan-ids.ts';
import { renderDiagnosis } from '../reports/diagnosis.ts';
import { formatDuration } from '../reports/rerun.ts';
import { renderTerminal } from '../reports/terminal.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { resultsFile, tablesFile } from '../results/store.ts';
import { type LoadedCatalogue, loadCatalogue } from '../trial/run.ts';
import { usualWorkers } from '../trial/usual-workers.ts';
import { shellQuote } from './arguments.ts';
import type { CertifyRunOptions } from './certify-options.ts';
import type { CliContext } from './context.ts';
import { estimateTrials } from './list-command.ts';
import { runSelected } from './run-selected.ts';
import type { SelectedPlan } from './selected-plan.ts';
import { wholePaths } from './whole-paths.ts';

export interface CertifyGateOptions extends CertifyRunOptions {
  /** Names of target variants, or one path of a target module. */
  readonly against: readonly string[];
  readonly rail?: string;
}

/** Longer than any start on a busy machine. */
const readyMs = 15_000;

/** Whatever ends it, nothing of it stays in the temporary folder. */
export async function certifyGateCommand(
  context: CliContext,
  command: readonly string[],
  options: CertifyGateOptions,
): Promise<ResultsExitCode> {
  const removeTemporaryFolder = context.openTemporaryFolder();
  try {
    return await certify(context, command, options);
  } finally {
    removeTemporaryFolder();
  }
}

async function certify(
  context: CliContext,
  command: readonly string[],
  options: CertifyGateOptions,
): Promise<ResultsExitCode> {
  const targets = targetsOf(context, options);
  const [first] = targets;
  if (first === undefined || command.length === 0) {
    throw new UsageError(
      'expected the gate’s command behind two dashes, got none; like: killpoint certify gate --against stripe.keyed -- python3 my_gate.py',
    );
  }
  const entry = gateEntry('gate', wholePaths(command, context.workingFolder));
  const { environment } = context;
  const ready = await probeGate({ gate: entry, target: first, environment, readyMs });
  const gate = { ...entry, name: nameOf(ready.name) };
  const subjects = await loadCatalogue({ gates: [gate], targets }, environment);
  const { points, leavesOut = [] } = ready.capabilities;
  const { only, seed, trials: trialsPerCell } = options;
  const plan =
    only === undefined
      ? planGate({ gate, targets: subjects.targets, points, leavesOut, seed, trialsPerCell })
      : planOnly(only, gate, subjects, options);
  const workers = options.workers ?? usualWorkers(context.cores);
  context.note(announce(plan, subjects, workers));
  const results = await runSelected(context, selected(context, plan, subjects, options, command), {
    bail: false,
    workers,
  });
  context.print(renderTerminal(results, context));
  const rules = diagnose(results);
  context.print(`\n${renderDiagnosis({ results, rules, unplaced: unplaced(points) })}`);
  const shown = relative(context.workingFolder, resolve(context.workingFolder, options.out)) || '.';
  context.note(
    `Written: ${shown}/${resultsFile}, ${shown}/${tablesFile}; judge again with: npx killpoint judge ${shown}\n`,
  );
  return exitCodeOf(results);
}

function targetsOf(context: CliContext, options: CertifyGateOptions): readonly TargetEntry[] {
  const { against, rail } = options;
  if (against.length === 0) {
    throw new UsageError(
      `expected --against with a service, got none; known: ${context.catalogue.targets.map(({ name }) => name).join(', ')}`,
    );
  }
  if (rail === undefined)
    return against.map((name) => named(context.catalogue.targets, name, 'target'));
  const [target, ...others] = against;
  if (target === undefined || others.length > 0) {
    throw new UsageError(
      `expected one target module with --rail, got ${against.join(', ')}; certify against one at a time`,
    );
  }
  const own = ownTarget({
    target,
    rail,
    targetExport: 'createTarget',
    railExport: 'createRail',
    options: {},
    railOptions: {},
    againstUrl: null,
    workingFolder: context.workingFolder,
  });
  return [own.entry];
}

function planOnly(
  only: string,
  gate: GateEntry,
  subjects: LoadedCatalogue,
  { seed, trials }: CertifyGateOptions,
): Plan {
  const [target] = subjects.targets;
  const id = parseId(only).kind === 'id' ? only : `${gate.name}/${target?.name}/${only}`;
  const parsed = parseId(id);
  if (parsed.kind === 'not-an-id') throw new UsageError(`--only: ${parsed.why}`);
  return planIds({
    ids: [id],
    gates: [gate],
    targets: subjects.targets,
    trialsPerCell: trials,
    seed,
  });
}

function selected(
  context: CliContext,
  plan: Plan,
  subjects: LoadedCatalogue,
  options: CertifyGateOptions,
  command: readonly string[],
): SelectedPlan {
  return {
    plan,
    subjects,
    chosen: { from: 'ids', trialsPerCell: options.trials, exclusions: [] },
    outFolder: resolve(context.workingFolder, options.out),
    slices: [],
    command: [
      'npx killpoint certify gate',
      ...options.against.map((name) => `--against ${shellQuote(name)}`),
      ...(options.rail === undefined ? [] : [`--rail ${shellQuote(options.rail)}`]),
      `--seed ${options.seed} --`,
      ...command.map(shellQuote),
    ].join(' '),
  };
}

function gateEntry(name: string, command: readonly string[]): GateEntry {
  return { name, about: command.join(' '), lacks: [], run: { kind: 'command', command } };
}

/** Ids are made of it, so it holds nothing that a path or a shell would take for its own. */
function nameOf(said: string): string {
  return said.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '') || 'gate';
}

function announce(plan: Plan, { targets }: LoadedCatalogue, workers: number): string {
  const ms = targets.reduce((sum, target) => {
    const trials = plan.trials.filter(({ cell }) => cell.target === target.name);
    return sum + estimateTrials({ ...plan, trials }, target, workers);
  }, 0);
  return `about ${formatDuration(ms)} with ${workers} at a time\n`;
}

/** Points that it does not announce, and that the wire can't find. */
function unplaced(points: Parameters<typeof killsFor>[0]): readonly string[] {
  const placed = killsFor(points);
  return killPointNames
    .filter((kill) => announcedPointOf(kill) !== null && !placed.includes(kill))
    .map((kill) => `${kill} (${killPointFacts(kill).gloss}), which it does not announce`);
}

/**
 * Gates beside each other: one row for every crash (target, kill, fault, world event, caller) that at
 * least two gates met, one cell for every gate. In: a run's results. Out: the comparison as data,
 * which `comparison-markdown.ts` renders. Pure; every number is counted over what stands in the rows.
 */
import { type Cell, formatFault, formatKill, worldEvents } from '../model/cell.ts';
import type {
  ComparedCell,
  ComparedRow,
  ComparedTally,
  ComparedTrial,
  Comparison,
} from '../model/comparison.ts';
import { compareKills, glossKill } from '../model/kill-gloss.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { worldFacts } from '../model/world-table.ts';
import { isTrial } from '../results/counts.ts';
import { cellOf } from '../results/read-cell.ts';
import { namesFound } from '../results/record.ts';

/** Undefined where no two gates met the same crash, or every gate lacks a rule: there is nothing to compare. */
export function compareGates(results: Results, source: string): Comparison | undefined {
  const { gates } = results;
  const reference = gates.find(({ lacks }) => lacks.length === 0)?.name;
  if (reference === undefined) return undefined;
  const crashes = groupByCrash(results);
  const met = crashes.filter(({ byGate }) => byGate.size >= 2);
  if (met.length === 0) return undefined;
  const rows = met.map((crash) =>
    rowOf(
      crash,
      gates.map(({ name }) => name),
      reference,
    ),
  );
  return {
    format: 1,
    tool: results.tool,
    environment: results.environment,
    source,
    matrix: results.matrix,
    command: results.command,
    seed: results.seed,
    workers: results.workers,
    startedAt: results.startedAt,
    finished: results.finished,
    gates,
    reference,
    rows,
    tallies: talliesOf(rows),
    rowsLeftOut: crashes.filter(({ byGate }) => byGate.size < 2).length,
    leftOut: leftOutOf(results),
  };
}

interface Crash {
  readonly cell: Cell;
  readonly byGate: Map<string, TrialRecord[]>;
}

/** Targets as in the results, then kills in the order of an effect's life, then world events as in their table. */
function groupByCrash({ trials, targets }: Pick<Results, 'trials' | 'targets'>): readonly Crash[] {
  const crashes = new Map<string, Crash>();
  for (const record of trials.filter(isTrial)) {
    const cell = cellOf(record);
    const key = JSON.stringify({ ...cell, gate: null });
    const crash: Crash = crashes.get(key) ?? { cell, byGate: new Map() };
    crash.byGate.set(cell.gate, [...(crash.byGate.get(cell.gate) ?? []), record]);
    crashes.set(key, crash);
  }
  const targetNames = targets.map(({ name }) => name);
  return [...crashes.values()].sort(
    ({ cell: left }, { cell: right }) =>
      targetNames.indexOf(left.target) - targetNames.indexOf(right.target) ||
      compareKills(left, right) ||
      worldEvents.indexOf(left.world) - worldEvents.indexOf(right.world),
  );
}

function rowOf({ cell, byGate }: Crash, gates: readonly string[], reference: string): ComparedRow {
  const trialsOf = (gate: string) => (byGate.get(gate) ?? []).map(comparedTrial);
  const beside = trialsOf(reference);
  return {
    target: cell.target,
    kill: formatKill(cell),
    killGloss: glossKill(cell),
    fault: formatFault(cell.fault),
    world: cell.world,
    worldMeaning: worldFacts(cell.world).meaning,
    caller: cell.caller,
    cells: gates.map((gate) => {
      const trials = trialsOf(gate);
      return {
        gate,
        standing: gate === reference ? 'reference' : standingOf(trials, beside),
        recoveryMs: median(trials.filter(isProof).flatMap(({ recoveryMs }) => recoveryMs ?? [])),
        trials,
      };
    }),
  };
}

function comparedTrial(record: TrialRecord): ComparedTrial {
  return {
    id: record.id,
    seed: record.seed,
    verdict: record.verdict,
    meetsExpectation: record.meetsExpectation,
    outcome: record.o2?.outcome?.outcome ?? null,
    disposition: record.o2?.outcome?.disposition ?? null,
    effects: record.o2?.effects ?? null,
    byOthers: record.o2?.byOthers ?? null,
    recoveryMs: record.recoveryMs,
    findings: [...namesFound(record)],
    historySha256: record.historySha256,
  };
}

function standingOf(
  trials: readonly ComparedTrial[],
  reference: readonly ComparedTrial[],
): ComparedCell['standing'] {
  const own = trials.filter(isProof);
  const beside = reference.filter(isProof);
  if (own.length === 0 || beside.length === 0) return 'not-compared';
  if (own.some(({ verdict }) => verdict === 'violated')) return 'breaks-a-promise';
  const bothHold = beside.every(({ verdict }) => verdict === 'holds');
  return bothHold && endings(own) === endings(beside) ? 'ties' : 'holds-otherwise';
}

/** What was said and what the journal shows, each kind once, in one text that can be compared. */
function endings(trials: readonly ComparedTrial[]): string {
  const kinds = trials.map(({ outcome, disposition, effects, byOthers }) =>
    JSON.stringify({ outcome, disposition, effects, byOthers }),
  );
  return [...new Set(kinds)].sort().join();
}

function isProof({ verdict }: ComparedTrial): boolean {
  return verdict === 'holds' || verdict === 'violated';
}

/** Null for none. */
function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)];
  const high = sorted[Math.ceil(middle)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** One for each gate and target with a row in which both were compared. */
function talliesOf(rows: readonly ComparedRow[]): ComparedTally[] {
  const tallies = new Map<string, ComparedTally>();
  for (const { target, cells } of rows) {
    for (const { gate, standing } of cells) {
      if (standing === 'reference' || standing === 'not-compared') continue;
      const key = JSON.stringify([gate, target]);
      const none = { gate, target, rows: 0, ties: 0, holdsOtherwise: 0, breaksAPromise: 0 };
      const tally = tallies.get(key) ?? none;
      tallies.set(key, {
        ...tally,
        rows: tally.rows + 1,
        ties: tally.ties + (standing === 'ties' ? 1 : 0),
        holdsOtherwise: tally.holdsOtherwise + (standing === 'holds-otherwise' ? 1 : 0),
        breaksAPromise: tally.breaksAPromise + (standing === 'breaks-a-promise' ? 1 : 0),
      });
    }
  }
  return [...tallies.values()];
}

/** What the rows can't show because it did not run, most frequent first. */
function leftOutOf({ trials }: Pick<Results, 'trials'>): Comparison['leftOut'] {
  const groups = new Map<string, Comparison['leftOut'][number]>();
  for (const record of trials) {
    if (record.verdict !== 'excluded' && record.verdict !== 'not-run') continue;
    const { gate } = cellOf(record);
    const reason = record.reason ?? 'no reason was given';
    const key = JSON.stringify([gate, reason]);
    groups.set(key, { gate, reason, count: (groups.get(key)?.count ?? 0) + 1 });
  }
  return [...groups.values()].sort((left, right) => right.count - left.count);
}

/**
 * The demanded table beside what run trials reached: for each gate that must hold everywhere, each
 * target and each class it amounts to, every kill point without a fault, the caller asking the same
 * again. Kills of recovery stand behind the kill they follow, where any was run.
 */
import { type Cell, formatKill } from '../model/cell.ts';
import { compareKills, glossKill, type Killed } from '../model/kill-gloss.ts';
import { killPointNames } from '../model/kill-points.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { isConclusive, isTrial } from '../results/counts.ts';
import { cellOf, gatesThatLackRules } from '../results/read-cell.ts';
import { type Column, columnKey, columnOf, columnsOf, isPlainWorld } from './columns.ts';
import { formatDemandedPair, formatReachedPair, isAsDemanded } from './reached.ts';
import { textTable } from './text-table.ts';

export interface ReachedRow extends Column {
  /** With the kills of recovery, as in an id. */
  readonly kill: string;
  readonly gloss: string;
  /** Null where no trial of the row is in the results. */
  readonly demanded: string | null;
  /** What conclusive trials reached, each kind once. */
  readonly reached: readonly string[];
  readonly trials: number;
  /** `differs`: reached what is not allowed. `missing`: no conclusive trial. */
  readonly status: 'as-demanded' | 'differs' | 'missing';
}

export type ReachedInput = Pick<Results, 'trials' | 'gates' | 'targets'>;

export function reachedRows(results: ReachedInput): readonly ReachedRow[] {
  const lacking = gatesThatLackRules(results.gates);
  const ofSoundGates = results.trials
    .filter(isTrial)
    .map((record) => ({ record, cell: cellOf(record) }))
    .filter(({ cell }) => !lacking.has(cell.gate));
  const columns = columnsOf(
    ofSoundGates.map(({ cell }) => cell).filter((cell) => isPlainWorld(cell, results)),
    results,
  );
  const plain = ofSoundGates.filter(({ cell }) => isPlain(cell, results));
  return columns.flatMap((column) => {
    const own = plain.filter(
      ({ cell }) => columnKey(columnOf(cell, results)) === columnKey(column),
    );
    return killsOf(own.map(({ cell }) => cell)).map((killed): ReachedRow => {
      const kill = formatKill(killed);
      const records = own.filter(({ cell }) => formatKill(cell) === kill);
      return {
        ...column,
        kill,
        gloss: glossKill(killed),
        ...compare(records.map(({ record }) => record)),
      };
    });
  });
}

/** False for a table without rows: nothing was shown. */
export function isTableReached(rows: readonly ReachedRow[]): boolean {
  return rows.length > 0 && rows.every((row) => row.status === 'as-demanded');
}

export const reachedHead = [
  'gate',
  'target',
  'what the target promises',
  'killed at',
  'what had happened',
  'demanded',
  'reached',
  'trials',
  '',
];

export function reachedCells(row: ReachedRow): readonly string[] {
  return [
    row.gate,
    row.target,
    row.classTitle,
    row.kill,
    row.gloss,
    row.demanded ?? '–',
    row.reached.join(', ') || '–',
    String(row.trials),
    statusText(row.status),
  ];
}

export function renderReachedRows(rows: readonly ReachedRow[], width: number): string {
  if (rows.length === 0) {
    return 'These results hold no trial of a gate that must hold everywhere.';
  }
  return textTable({ head: reachedHead, rows: rows.map(reachedCells), flexible: 4, width });
}

function statusText(status: ReachedRow['status']): string {
  switch (status) {
    case 'as-demanded':
      return 'as demanded';
    case 'differs':
      return 'DIFFERS';
    case 'missing':
      return 'MISSING';
    default:
      return status satisfies never;
  }
}

/** What the demanded table itself is about. */
function isPlain(cell: Cell, results: ReachedInput): boolean {
  return cell.fault.fault === 'none' && cell.caller === 'same-again' && isPlainWorld(cell, results);
}

/** Every kill point, since one that was not run has to be missed; and what was run besides. */
function killsOf(cells: readonly Cell[]): readonly Killed[] {
  const kills = new Map<string, Killed>(
    [...killPointNames.map((kill): Killed => ({ kill, recoveryKills: [] })), ...cells].map(
      (killed) => [formatKill(killed), killed],
    ),
  );
  return [...kills.values()].sort(compareKills);
}

function compare(records: readonly TrialRecord[]) {
  const conclusive = records.filter(isConclusive);
  const [first] = records;
  return {
    demanded: first === undefined ? null : formatDemandedPair(first),
    reached: [...new Set(conclusive.map(formatReachedPair))],
    trials: conclusive.length,
    status: statusOf(conclusive),
  };
}

function statusOf(conclusive: readonly TrialRecord[]): ReachedRow['status'] {
  if (conclusive.length === 0) return 'missing';
  return conclusive.every(isAsDemanded) ? 'as-demanded' : 'differs';
}

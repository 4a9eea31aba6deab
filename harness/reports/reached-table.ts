/**
 * The demanded table beside what run trials reached: for each gate that must hold everywhere and each
 * target, every kill point without a fault, the caller asking the same again.
 */
import { type KillPoint, killPointFacts, killPointNames } from '../model/kill-points.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { isConclusive, isTrial } from '../results/counts.ts';
import { cellOf, gatesThatLackRules } from '../results/read-cell.ts';
import { formatDemandedPair, formatReachedPair, isAsDemanded } from './reached.ts';
import { textTable } from './text-table.ts';

export interface ReachedRow {
  readonly gate: string;
  readonly target: string;
  readonly kill: KillPoint;
  /** Null where no trial of the row is in the results. */
  readonly demanded: string | null;
  /** What conclusive trials reached, each kind once. */
  readonly reached: readonly string[];
  readonly trials: number;
  /** `differs`: reached what is not allowed. `missing`: no conclusive trial. */
  readonly status: 'as-demanded' | 'differs' | 'missing';
}

export function reachedRows(results: Pick<Results, 'trials'>): readonly ReachedRow[] {
  const lacking = gatesThatLackRules(results.trials);
  const trials = results.trials
    .filter(isTrial)
    .map((record) => ({ record, cell: cellOf(record) }))
    .filter(({ cell }) => !lacking.has(cell.gate));
  const columns = new Map(
    trials.map(({ cell }) => [JSON.stringify([cell.gate, cell.target]), cell] as const),
  );
  return [...columns.values()].flatMap(({ gate, target }) =>
    killPointNames.map((kill) => {
      const records = trials
        .filter(
          ({ cell }) =>
            cell.gate === gate &&
            cell.target === target &&
            cell.kill === kill &&
            cell.paused === undefined &&
            cell.fault.fault === 'none' &&
            cell.world === 'none' &&
            cell.caller === 'same-again',
        )
        .map(({ record }) => record);
      return { gate, target, kill, ...compare(records) };
    }),
  );
}

/** False for a table without rows: nothing was shown. */
export function isTableReached(rows: readonly ReachedRow[]): boolean {
  return rows.length > 0 && rows.every((row) => row.status === 'as-demanded');
}

export function renderReachedRows(rows: readonly ReachedRow[], width: number): string {
  if (rows.length === 0) {
    return 'These results hold no trial of a gate that must hold everywhere.';
  }
  return textTable({
    head: [
      'gate',
      'target',
      'kill point',
      'what had happened',
      'demanded',
      'reached',
      'trials',
      '',
    ],
    rows: rows.map((row) => [
      row.gate,
      row.target,
      row.kill,
      killPointFacts(row.kill).gloss,
      row.demanded ?? '–',
      row.reached.join(', ') || '–',
      String(row.trials),
      statusText(row.status),
    ]),
    flexible: 3,
    width,
  });
}

export function statusText(status: ReachedRow['status']): string {
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

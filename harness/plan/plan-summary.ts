/** A plan in numbers: what it would run, what it leaves out and why. Pure. */
import { type Cell, formatKill } from '../model/cell.ts';
import { compareKills, glossKill } from '../model/kill-gloss.ts';
import type { Plan } from './plan.ts';

export interface PlanRow {
  readonly gate: string;
  readonly target: string;
  /** With the kills of recovery, as in an id. */
  readonly kill: string;
  /** What people are shown beside it. */
  readonly gloss: string;
  readonly trials: number;
  readonly excluded: number;
}

export interface PlanSummary {
  readonly matrix: string;
  readonly title: string;
  readonly seed: number;
  readonly trials: number;
  readonly excluded: number;
  readonly rows: readonly PlanRow[];
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly cells: number }[];
}

export function summarizePlan(plan: Plan): PlanSummary {
  return {
    matrix: plan.matrix,
    title: plan.title,
    seed: plan.seed,
    trials: plan.trials.length,
    excluded: plan.excluded.length,
    rows: rowsOf(plan),
    reasons: reasonsOf(plan),
  };
}

function rowsOf(plan: Plan): readonly PlanRow[] {
  const rows = new Map<string, { readonly cell: Cell; readonly row: PlanRow }>();
  const count = (cell: Cell, field: 'trials' | 'excluded') => {
    const { gate, target } = cell;
    const kill = formatKill(cell);
    const key = JSON.stringify([gate, target, kill]);
    const row = rows.get(key)?.row ?? {
      gate,
      target,
      kill,
      gloss: glossKill(cell),
      trials: 0,
      excluded: 0,
    };
    rows.set(key, { cell, row: { ...row, [field]: row[field] + 1 } });
  };
  for (const { cell } of plan.trials) count(cell, 'trials');
  for (const { cell } of plan.excluded) count(cell, 'excluded');
  const groups = [...new Set([...rows.values()].map(({ row }) => groupOf(row)))];
  return [...rows.values()]
    .sort(
      (left, right) =>
        groups.indexOf(groupOf(left.row)) - groups.indexOf(groupOf(right.row)) ||
        compareKills(left.cell, right.cell),
    )
    .map(({ row }) => row);
}

function groupOf({ gate, target }: PlanRow): string {
  return JSON.stringify([gate, target]);
}

function reasonsOf(plan: Plan): PlanSummary['reasons'] {
  const counts = new Map<string, number>();
  for (const { reason } of plan.excluded) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, cells]) => ({ reason, cells }))
    .sort((left, right) => right.cells - left.cells);
}

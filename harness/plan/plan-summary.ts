/** A plan in numbers: what it would run, what it leaves out and why. Pure. */
import { allKillPoints, type KillPoint } from '../model/kill-points.ts';
import type { Plan } from './plan.ts';

export interface PlanRow {
  readonly gate: string;
  readonly target: string;
  readonly kill: KillPoint;
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
  const rows = new Map<string, PlanRow>();
  const count = (
    { gate, target, kill }: Pick<PlanRow, 'gate' | 'target' | 'kill'>,
    field: 'trials' | 'excluded',
  ) => {
    const key = JSON.stringify([gate, target, kill]);
    const row = rows.get(key) ?? { gate, target, kill, trials: 0, excluded: 0 };
    rows.set(key, { ...row, [field]: row[field] + 1 });
  };
  for (const { cell } of plan.trials) count(cell, 'trials');
  for (const { cell } of plan.excluded) count(cell, 'excluded');
  const groups = [...new Set([...rows.values()].map(groupOf))];
  return [...rows.values()].sort(
    (left, right) =>
      groups.indexOf(groupOf(left)) - groups.indexOf(groupOf(right)) ||
      allKillPoints.indexOf(left.kill) - allKillPoints.indexOf(right.kill),
  );
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

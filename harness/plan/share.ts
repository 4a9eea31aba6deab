/** How much of the full plan another plan is. Pure. */
import type { WholeMatrix } from '../model/matrix.ts';
import type { DeclaredTarget, GateEntry } from './catalogue-entry.ts';
import { expandCells, type Plan } from './plan.ts';

export interface FullPlanInput {
  readonly matrix: WholeMatrix;
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
}

export interface PlanShare {
  /** The matrix of the full plan. */
  readonly matrix: string;
  /** Trials that stand in both. */
  readonly trials: number;
  /** Trials of the full plan. */
  readonly of: number;
}

/** By ids, so that a trial that the full plan does not have is no part of it. Whatever number is pinned. */
export function shareOf(plan: Plan, full: FullPlanInput): PlanShare {
  const ids = new Set(expandCells(full).trials.map(({ id }) => id));
  return {
    matrix: full.matrix.name,
    trials: plan.trials.filter(({ id }) => ids.has(id)).length,
    of: ids.size,
  };
}

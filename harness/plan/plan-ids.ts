/**
 * A plan from ids that were typed or read from earlier results: with a trial number exactly that
 * trial, without one the whole cell. A cell that can't exist stands in the plan with its reason.
 */
import { type Cell, formatCellId, type ParsedId, parseId } from '../model/cell.ts';
import { UsageError } from '../model/errors.ts';
import type { DeclaredTarget, GateEntry } from './catalogue-entry.ts';
import {
  type ExcludedCell,
  named,
  type Plan,
  type PlannedTrial,
  planTrial,
  usable,
  whyUnreachable,
} from './plan.ts';

export interface IdsInput {
  readonly ids: readonly string[];
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
  /** How many trials a cell gets that is named without a trial number. */
  readonly trialsPerCell: number;
  /** With the seed of an earlier run, a trial is exactly what it was there. */
  readonly seed: number;
}

/** Throws UsageError for what is no id, and for a gate or target nobody knows. */
export function planIds(input: IdsInput): Plan {
  const trials = new Map<string, PlannedTrial>();
  const excluded = new Map<string, ExcludedCell>();
  for (const id of input.ids) {
    const { cell, trial } = parsed(id);
    const gate = named(input.gates, cell.gate, 'gate');
    const target = usable(input.targets, cell.target);
    const why = whyUnreachable(cell, gate, target);
    if (why !== null) {
      excluded.set(formatCellId(cell), cannotMeet(cell, why));
      continue;
    }
    if (target.railUnavailable !== null) {
      const reason = target.railUnavailable;
      excluded.set(formatCellId(cell), {
        id: formatCellId(cell),
        cell,
        kind: 'unavailable',
        reason,
      });
      continue;
    }
    const numbers =
      trial === null
        ? Array.from({ length: input.trialsPerCell }, (_, index) => index + 1)
        : [trial];
    for (const number of numbers) {
      const planned = planTrial(cell, number, input.seed);
      trials.set(planned.id, planned);
    }
  }
  return {
    matrix: 'ids',
    title: 'Trials named one by one',
    seed: input.seed,
    trials: [...trials.values()],
    excluded: [...excluded.values()],
  };
}

/** The names of the targets that these ids are of. Throws UsageError for what is no id. */
export function targetsOfIds(ids: readonly string[]): readonly string[] {
  return ids.map((id) => parsed(id).cell.target);
}

function parsed(id: string): Extract<ParsedId, { kind: 'id' }> {
  const result = parseId(id);
  if (result.kind === 'not-an-id') throw new UsageError(result.why);
  return result;
}

function cannotMeet(cell: Cell, why: string): ExcludedCell {
  return { id: formatCellId(cell), cell, kind: 'cannot-meet', reason: `cannot-meet: ${why}` };
}

/** Random trials from a seed: which cell, and which of its trials. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { allArmedFaults, type Cell, callerBehaviours } from '../../harness/model/cell.ts';
import {
  killPointNames,
  type RecoveryPoint,
  recoveryPoints,
} from '../../harness/model/kill-points.ts';
import type { DeclaredTarget, GateEntry } from '../../harness/plan/catalogue-entry.ts';
import { type PlannedTrial, planTrial, whyUnreachable } from '../../harness/plan/plan.ts';

/** The highest number an id can hold. */
const mostTrials = 999_999;

/** Recovery left alone, or killed once at any of its points. */
const recoveries: readonly (readonly RecoveryPoint[])[] = [
  [],
  ...recoveryPoints.map((point) => [point]),
];

/** Every cell of the gate that can exist, over those of these targets that can be run here. */
export function reachableCells(
  gate: GateEntry,
  targets: readonly DeclaredTarget[],
): readonly Cell[] {
  const usable = targets.filter(({ railUnavailable }) => railUnavailable === null);
  return usable.flatMap((target) =>
    killPointNames.flatMap((kill) =>
      recoveries.flatMap((recoveryKills) =>
        allArmedFaults.flatMap((fault) =>
          callerBehaviours
            .map(
              (caller): Cell => ({
                gate: gate.name,
                target: target.name,
                kill,
                recoveryKills,
                fault,
                world: 'none',
                caller,
              }),
            )
            .filter((cell) => whyUnreachable(cell, gate, target) === null),
        ),
      ),
    ),
  );
}

/**
 * Endless batches of trials, no id twice in one. The run's seed and the number in an id make a
 * trial's own seed, so that a random number draws a random schedule and the id brings it back.
 */
export function* drawBatches(
  cells: readonly Cell[],
  { seed, size }: { readonly seed: number; readonly size: number },
): Generator<readonly PlannedTrial[], never> {
  if (cells.length === 0) throw new Error('expected at least one reachable cell, got none');
  const generator = xoroshiro128plus(seed | 0);
  for (;;) {
    const batch = new Map<string, PlannedTrial>();
    while (batch.size < size) {
      const cell = cells[uniformInt(generator, 0, cells.length - 1)];
      if (cell === undefined) continue;
      const trial = planTrial(cell, uniformInt(generator, 1, mostTrials), seed);
      batch.set(trial.id, trial);
    }
    yield [...batch.values()];
  }
}

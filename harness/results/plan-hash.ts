/**
 * The hash of what was planned: every trial and every excluded cell by its id, in the plan's order.
 * Results hold it, so that a record that is taken out, put in, moved or called excluded is missed.
 */
import { createHash } from 'node:crypto';
import type { TrialRecord } from '../model/results.ts';

interface PlannedIds {
  readonly trials: readonly { readonly id: string }[];
  readonly excluded: readonly { readonly id: string }[];
}

export function hashPlan({ trials, excluded }: PlannedIds): string {
  const hash = createHash('sha256');
  for (const { id } of trials) hash.update(`trial ${id}\n`);
  for (const { id } of excluded) hash.update(`excluded ${id}\n`);
  return hash.digest('hex');
}

/** The same from the records of a run. */
export function hashPlanOfRecords(records: readonly TrialRecord[]): string {
  return hashPlan({
    trials: records.filter(({ verdict }) => verdict !== 'excluded'),
    excluded: records.filter(({ verdict }) => verdict === 'excluded'),
  });
}

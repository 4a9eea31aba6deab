/** Which trials of earlier results are worth running again. */
import type { TrialRecord } from '../model/results.ts';
import { isTrial } from './counts.ts';

/** Ids of trials that did not meet their expectation, proved nothing or did not run, in plan order. */
export function lastFailedIds(records: readonly TrialRecord[]): readonly string[] {
  return records
    .filter((record) => isTrial(record) && record.meetsExpectation !== true)
    .map((record) => record.id);
}

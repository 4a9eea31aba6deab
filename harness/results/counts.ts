/** Raw counts over records. Each is counted by itself; that they add up is asserted, never used. */
import type { Counts, TrialRecord } from '../model/results.ts';

/** Throws when a record falls into no group or into two: that is a bug, not a result. */
export function countRecords(records: readonly TrialRecord[]): Counts {
  const counts: Counts = {
    planned: records.length,
    holds: 0,
    violated: 0,
    inconclusive: 0,
    notRun: 0,
    excluded: 0,
  };
  for (const record of records) {
    switch (record.verdict) {
      case 'holds':
        counts.holds += 1;
        break;
      case 'violated':
        counts.violated += 1;
        break;
      case 'inconclusive':
        counts.inconclusive += 1;
        break;
      case 'not-run':
        counts.notRun += 1;
        break;
      case 'excluded':
        counts.excluded += 1;
        break;
      default:
        record.verdict satisfies never;
    }
  }
  assertAddsUp(counts);
  return counts;
}

export function assertAddsUp(counts: Counts): void {
  const sum =
    counts.holds + counts.violated + counts.inconclusive + counts.notRun + counts.excluded;
  if (sum !== counts.planned) {
    throw new Error(
      `counts do not add up: ${counts.planned} planned, ${sum} accounted for (${JSON.stringify(counts)})`,
    );
  }
}

/** Whether a trial ran and proved something. */
export function isConclusive(record: TrialRecord): boolean {
  return record.verdict === 'holds' || record.verdict === 'violated';
}

/** Whether a trial was meant to run, whatever became of it. */
export function isTrial(record: TrialRecord): boolean {
  return record.verdict !== 'excluded';
}

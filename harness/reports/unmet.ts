/** Why a trial did not meet its expectation, in lines for people. */
import { findingMeanings } from '../model/findings.ts';
import type { TrialRecord } from '../model/results.ts';
import { isConclusive, isTrial } from '../results/counts.ts';
import { compareFindings } from '../results/record.ts';
import { formatDemandedPair, formatReachedPair } from './reached.ts';
import { counted } from './rerun.ts';

/** Trials somebody has to look at: unmet ones first, then those that proved nothing. Not-run ones are no news. */
export function needLooking(records: readonly TrialRecord[]): readonly TrialRecord[] {
  const unmet = records.filter(
    (record) => isTrial(record) && record.verdict !== 'not-run' && record.meetsExpectation !== true,
  );
  return [
    ...unmet.filter(isConclusive),
    ...unmet.filter((record) => record.verdict === 'inconclusive'),
  ];
}

/** How a checker's note of such an ending begins. */
const elsewhereNote = 'ended at';

/** Trials that ended elsewhere than demanded without breaking a promise, in one line; empty where there is none. */
export function countElsewhere(records: readonly TrialRecord[]): string {
  const elsewhere = records.filter(({ notes }) =>
    notes.some((note) => note.startsWith(elsewhereNote)),
  ).length;
  return elsewhere === 0
    ? ''
    : `${counted(elsewhere, 'trial')} ended elsewhere than demanded without breaking a promise; the notes in chaos.json say where`;
}

export function explain(record: TrialRecord): readonly string[] {
  const { unexpected, missing } = compareFindings(record);
  const demanded = formatDemandedPair(record);
  const came = record.findings
    .filter(({ finding }) => record.verdict === 'inconclusive' || isIn(unexpected, finding))
    .map(({ finding, message }) => `${finding}: ${message}`);
  return [
    ...came,
    // A trial that proved nothing can't be blamed for findings it did not get to.
    ...(isConclusive(record)
      ? missing.map((name) => `expected and not found: ${name} (${findingMeanings[name]})`)
      : []),
    ...(demanded === null ? [] : [`demanded ${demanded}, reached ${formatReachedPair(record)}`]),
  ];
}

function isIn(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

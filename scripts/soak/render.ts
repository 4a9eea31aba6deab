/** A soak for people, and what it means to a shell. Pure. */
import Table from 'cli-table3';
import { exitCodes } from '../../harness/model/errors.ts';
import type { TrialRecord } from '../../harness/model/results.ts';
import { counted, formatDuration, rerunCommand } from '../../harness/reports/rerun.ts';
import type { SoakOutcome } from './run-soak.ts';
import type { Holdings } from './watch.ts';

const rows: readonly { readonly name: string; readonly read: (holdings: Holdings) => number }[] = [
  { name: 'memory, MiB', read: (holdings) => holdings.rssMiB },
  { name: 'open descriptors', read: (holdings) => holdings.descriptors },
  { name: 'live children', read: (holdings) => holdings.children },
  { name: 'live subjects', read: (holdings) => holdings.subjects },
  { name: 'disk, MiB', read: (holdings) => holdings.diskMiB },
  { name: 'files', read: (holdings) => holdings.files },
];

export function renderHoldings(holdings: Holdings, trials: number): string {
  const figures = rows.map(({ name, read }) => `${name} ${read(holdings)}`);
  return `${counted(trials, 'trial')}: ${figures.join(' · ')}`;
}

export function renderSoak(outcome: SoakOutcome, seed: number): string {
  const { first, last, trials, durationMs, end, unmet } = outcome;
  const table = new Table({
    head: ['', `after ${first.trials}`, `after ${last.trials}`, 'growth a trial'],
    style: { head: [], border: [] },
  });
  for (const { name, read } of rows) {
    table.push([name, read(first), read(last), growth(read(last) - read(first), outcome)]);
  }
  return [
    table.toString(),
    `${counted(trials, 'trial')} in ${formatDuration(durationMs)}, seed ${seed}: ${endings[end]}`,
    ...unmet.flatMap((record) => describeUnmet(record, seed)),
    '',
  ].join('\n');
}

/** What was asked for has been shown only when the time was used up or the trials were run. */
export function exitCodeOf({ end, unmet, trials }: SoakOutcome): number {
  switch (end) {
    case 'unmet':
      return unmet.some(({ verdict }) => verdict !== 'inconclusive')
        ? exitCodes.unmet
        : exitCodes.inconclusive;
    case 'interrupted':
      return exitCodes.inconclusive;
    case 'time-up':
    case 'enough-trials':
      return trials > 0 ? exitCodes.met : exitCodes.inconclusive;
    default:
      return end satisfies never;
  }
}

const endings: Readonly<Record<SoakOutcome['end'], string>> = {
  'time-up': 'every trial met its expectation until the time was up',
  'enough-trials': 'every trial met its expectation',
  interrupted: 'interrupted; every trial until then met its expectation',
  unmet: 'stopped at a trial that did not meet its expectation',
};

function growth(difference: number, { first, last }: SoakOutcome): string {
  const trials = last.trials - first.trials;
  return trials === 0 ? '–' : (difference / trials).toFixed(4);
}

function describeUnmet(record: TrialRecord, seed: number): readonly string[] {
  return [
    `${record.verdict}: ${record.id}`,
    ...record.findings.map(({ finding, message }) => `  ${finding}: ${message}`),
    `  see it again: ${rerunCommand(record, { seed, command: '' })}`,
  ];
}

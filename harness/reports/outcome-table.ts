/** Kill point × gate and target: how many trials hold, what was found, and the endings that were reached. */
import { type KillPoint, killPointFacts, killPointNames } from '../model/kill-points.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { isTrial } from '../results/counts.ts';
import { cellOf } from '../results/read-cell.ts';
import { namesFound } from '../results/record.ts';
import { markdownTable } from './markdown-table.ts';
import { formatReachedPair } from './reached.ts';
import { tally } from './tabulate.ts';

/** Empty where there is no trial. */
export function renderOutcomes(results: Pick<Results, 'trials'>): string {
  const trials = results.trials.filter(isTrial);
  if (trials.length === 0) return '';
  const columns = [...new Set(trials.map(columnOf))];
  const rows = killPointNames
    .filter((kill) => trials.some((record) => cellOf(record).kill === kill))
    .map((kill) => [
      `\`${kill}\` ${killPointFacts(kill).gloss}`,
      ...columns.map((column) => outcomesOf(trials, { kill, column })),
    ]);
  return markdownTable(['killed at', ...columns], rows);
}

function outcomesOf(
  trials: readonly TrialRecord[],
  { kill, column }: { readonly kill: KillPoint; readonly column: string },
): string {
  const records = trials.filter(
    (record) => cellOf(record).kill === kill && columnOf(record) === column,
  );
  if (records.length === 0) return '–';
  const holds = records.filter((record) => record.verdict === 'holds').length;
  const findings = tally(records.flatMap(namesFound));
  const notRun = records.filter((record) => record.verdict === 'not-run').length;
  const endings = tally(
    records.filter((record) => record.verdict !== 'not-run').map(formatReachedPair),
  );
  return [
    `${holds} of ${records.length} hold`,
    ...(notRun === 0 ? [] : [`${notRun} not run`]),
    ...findings.map(([finding, count]) => `${count} ${finding}`),
    ...(endings.length === 0 ? [] : [endings.map(([ending]) => ending).join(' ')]),
  ].join('; ');
}

function columnOf(record: TrialRecord): string {
  const { gate, target } = cellOf(record);
  return `${gate} / ${target}`;
}

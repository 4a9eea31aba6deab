/**
 * A table for each target, of kill point × gate and class: what is demanded without a fault, how many trials of all
 * faults and callers hold and ended as demanded, and what the others ended at. Which ending belongs to
 * which trial stands in the JSON.
 */
import { type Cell, formatKill } from '../model/cell.ts';
import { compareKills, glossKill, type Killed } from '../model/kill-gloss.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { isTrial } from '../results/counts.ts';
import { cellOf } from '../results/read-cell.ts';
import { namesFound } from '../results/record.ts';
import { type Column, columnKey, columnOf, columnsOf } from './columns.ts';
import { markdownTable } from './markdown-table.ts';
import { formatReachedPair, isAsDemanded } from './reached.ts';
import { reachedRows } from './reached-table.ts';
import { tally } from './tabulate.ts';

type Input = Pick<Results, 'trials' | 'gates' | 'targets'>;

/** Empty where there is no trial. */
export function renderOutcomes(results: Input): string {
  const trials = results.trials.filter(isTrial).map((record) => ({ record, cell: cellOf(record) }));
  if (trials.length === 0) return '';
  const groups = new Map<string, TrialRecord[]>();
  for (const { record, cell } of trials) {
    const key = placeOf(columnOf(cell, results), formatKill(cell));
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const demanded = new Map(
    reachedRows(results).map((row) => [placeOf(row, row.kill), row.demanded] as const),
  );
  const describePlace = (place: string) =>
    describe(groups.get(place) ?? [], demanded.get(place) ?? null);
  const cells = trials.map(({ cell }) => cell);
  return [...new Set(cells.map(({ target }) => target))]
    .map((target) => {
      const own = cells.filter((cell) => cell.target === target);
      return `### ${target}\n\n${tableOf(own, columnsOf(own, results), describePlace)}`;
    })
    .join('\n\n');
}

/** Of one target: a table of all would have more columns than anybody can read. */
function tableOf(
  cells: readonly Cell[],
  columns: readonly Column[],
  describePlace: (place: string) => string,
): string {
  const kills = new Map<string, Killed>(cells.map((cell) => [formatKill(cell), cell]));
  const rows = [...kills.values()].sort(compareKills).map((killed) => {
    const kill = formatKill(killed);
    return [
      `\`${kill}\` ${glossKill(killed)}`,
      ...columns.map((column) => describePlace(placeOf(column, kill))),
    ];
  });
  return markdownTable(['killed at', ...columns.map(heading)], rows);
}

function placeOf(column: Column, kill: string): string {
  return `${columnKey({ gate: column.gate, target: column.target, classTitle: column.classTitle })} ${kill}`;
}

function heading({ gate, classTitle }: Column): string {
  return `${gate}: ${classTitle}`;
}

function describe(records: readonly TrialRecord[], demanded: string | null): string {
  if (records.length === 0) return '–';
  const holds = records.filter((record) => record.verdict === 'holds').length;
  const notRun = records.filter((record) => record.verdict === 'not-run').length;
  const findings = tally(records.flatMap(namesFound));
  return [
    ...(demanded === null ? [] : [demanded]),
    `${holds} of ${records.length} hold`,
    ...(notRun === 0 ? [] : [`${notRun} not run`]),
    ...findings.map(([finding, count]) => `${count} ${finding}`),
    ...endings(records.filter((record) => record.verdict !== 'not-run')),
  ].join('; ');
}

function endings(records: readonly TrialRecord[]): readonly string[] {
  const others = records.filter((record) => !isAsDemanded(record));
  const asDemanded = records.length - others.length;
  if (records.length === 0) return [];
  if (others.length === 0) return ['all as demanded'];
  const elsewhere = tally(others.map(formatReachedPair)).map(([ending, count]) =>
    count === 1 ? ending : `${count} × ${ending}`,
  );
  return [`${asDemanded} as demanded, the others ${elsewhere.join(', ')}`];
}

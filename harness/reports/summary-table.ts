/**
 * The table at the end of a run, the worst first. Where kill points fill more than a screen there is one
 * row per gate and target instead, and below them only the kill points that have to be looked at. Pure.
 */
import type { Results } from '../model/results.ts';
import {
  type KillRow,
  standingText,
  type TargetRow,
  tabulate,
  tabulateTargets,
  worstFirst,
} from './tabulate.ts';
import { textTable } from './text-table.ts';

/** So many rows are read, and not scrolled past. */
const killRowsAtMost = 24;

/** Empty where there is no trial. */
export function renderSummary(results: Pick<Results, 'trials' | 'counts'>, width: number): string {
  const rows = tabulate(results);
  if (rows.length === 0) return '';
  const columns = countColumns(results);
  if (rows.length <= killRowsAtMost) return renderKills(rows, columns, width);
  const open = rows.filter(({ standing }) => standing !== 'holds' && standing !== 'condemned');
  return [
    renderTargets(tabulateTargets(rows), columns, width),
    `All ${rows.length} kill points of these stand one by one in chaos.md.`,
    ...(open.length === 0 ? [] : ['To look at:', renderKills(open, columns, width)]),
  ].join('\n');
}

/** What stands in both tables, with what is in it. */
type CountColumn = readonly [string, (row: KillRow | TargetRow) => string];

function countColumns({ counts }: Pick<Results, 'counts'>): readonly CountColumn[] {
  return [
    ['trials', ({ trials }) => String(trials)],
    ['holds', ({ holds }) => String(holds)],
    ['violated', ({ violated }) => String(violated)],
    ['inconclusive', ({ inconclusive }) => String(inconclusive)],
    ...(counts.notRun > 0
      ? [['not run', ({ notRun }) => String(notRun)] satisfies CountColumn]
      : []),
    ['standing', standingText],
  ];
}

function renderKills(
  rows: readonly KillRow[],
  columns: readonly CountColumn[],
  width: number,
): string {
  return textTable({
    head: ['gate', 'target', 'killed at', 'what had happened', ...columns.map(([title]) => title)],
    rows: worstFirst(rows).map((row) => [
      row.gate,
      row.target,
      row.kill,
      row.gloss,
      ...columns.map(([, read]) => read(row)),
    ]),
    flexible: 3,
    width,
  });
}

function renderTargets(
  rows: readonly TargetRow[],
  columns: readonly CountColumn[],
  width: number,
): string {
  return textTable({
    head: ['gate', 'target', 'kill points', ...columns.map(([title]) => title)],
    rows: worstFirst(rows).map((row) => [
      row.gate,
      row.target,
      String(row.kills),
      ...columns.map(([, read]) => read(row)),
    ]),
    flexible: 1,
    width,
  });
}

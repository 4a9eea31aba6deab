/**
 * How often a cell took another course when it was run again. Pure: from the shapes of the histories,
 * which leave out times, pids, ports, tokens, ids and what the seed draws.
 */
import { formatCellId } from '../model/cell.ts';
import type { Results } from '../model/results.ts';
import { cellOf } from '../results/read-cell.ts';

export interface Repeats {
  /** Cells that ran more than once. */
  readonly cells: number;
  /** Histories of those cells. */
  readonly histories: number;
  /** Histories whose shape is not that of their cell's first. */
  readonly differing: number;
  /** Cells in which any differs. */
  readonly unsteadyCells: number;
}

export function countRepeats(results: Pick<Results, 'trials'>): Repeats {
  const shapes = new Map<string, string[]>();
  for (const record of results.trials) {
    if (record.shapeSha256 === null) continue;
    const id = formatCellId(cellOf(record));
    shapes.set(id, [...(shapes.get(id) ?? []), record.shapeSha256]);
  }
  const repeated = [...shapes.values()].filter((cell) => cell.length > 1);
  const differing = repeated.map((cell) => cell.filter((shape) => shape !== cell[0]).length);
  return {
    cells: repeated.length,
    histories: repeated.reduce((sum, cell) => sum + cell.length, 0),
    differing: differing.reduce((sum, count) => sum + count, 0),
    unsteadyCells: differing.filter((count) => count > 0).length,
  };
}

/** Empty when nothing ran more than once. */
export function renderRepeats(results: Pick<Results, 'trials'>): string {
  const { cells, histories, differing, unsteadyCells } = countRepeats(results);
  if (cells === 0) return '';
  return `${histories} histories of ${cells} cells that ran more than once: ${differing} differ from their cell's first, in ${unsteadyCells} cells, once times, pids, ports, tokens, ids and drawn amounts are taken out`;
}

/**
 * The columns of the demanded table: a gate, a target and the guarantee class the target amounts to.
 * A target whose window has an end is two of them: inside its window, and after an outage longer than
 * it. Pure.
 */
import type { Cell } from '../model/cell.ts';
import { classify, guaranteeClassTitles } from '../model/expectation.ts';
import type { Results, TargetFacts } from '../model/results.ts';

export interface Column {
  readonly gate: string;
  readonly target: string;
  /** As in the demanded table; a dash where the results say nothing of the target. */
  readonly classTitle: string;
}

export function columnOf(cell: Cell, { targets }: Pick<Results, 'targets'>): Column {
  const { gate, target, world } = cell;
  const facts = targets.find(({ name }) => name === target);
  const classTitle =
    facts === undefined
      ? '–'
      : guaranteeClassTitles[
          classify(facts.declaration, world === 'long-outage' && hasWindow(facts))
        ];
  return { gate, target, classTitle };
}

export function columnKey({ gate, target, classTitle }: Column): string {
  return JSON.stringify([gate, target, classTitle]);
}

/** Whether nothing happens in the world of this cell but what makes the class what it is. */
export function isPlainWorld(
  { target, world }: Cell,
  { targets }: Pick<Results, 'targets'>,
): boolean {
  if (world === 'none') return true;
  const facts = targets.find(({ name }) => name === target);
  return world === 'long-outage' && facts !== undefined && hasWindow(facts);
}

/** Each once, in the order of the first cell; those of one gate and target stand together. */
export function columnsOf(
  cells: readonly Cell[],
  results: Pick<Results, 'targets'>,
): readonly Column[] {
  const columns = new Map(
    cells.map((cell) => {
      const column = columnOf(cell, results);
      return [columnKey(column), column] as const;
    }),
  );
  const all = [...columns.values()];
  const groups = new Set(all.map(({ gate, target }) => JSON.stringify([gate, target])));
  return [...groups].flatMap((group) =>
    all.filter(({ gate, target }) => JSON.stringify([gate, target]) === group),
  );
}

function hasWindow({ declaration: { dedupe } }: TargetFacts): boolean {
  return dedupe !== null && dedupe.windowMs !== 'forever';
}

/** Tables for a terminal: one column gives way when the others do not leave it enough room. */
import Table from 'cli-table3';

export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The column that is wrapped when the table is too wide. */
  readonly flexible: number;
  /** Columns of the terminal. */
  readonly width: number;
}

const narrowest = 16;

export function textTable({ head, rows, flexible, width }: TextTable): string {
  const natural = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  // Each column costs its text, two spaces and a line; one more line closes the table.
  const others = natural.reduce(
    (sum, size, column) => sum + (column === flexible ? 0 : size + 3),
    1,
  );
  const room = Math.max(narrowest, width - others - 3);
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], compact: true },
    wordWrap: true,
    colWidths: natural.map(
      (size, column) => (column === flexible ? Math.min(size, room) : size) + 2,
    ),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

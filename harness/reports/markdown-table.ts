/** Tables in markdown. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A message of a subject's may hold anything; it must not end the cell, the row or begin markup. */
function escapeCell(text: string): string {
  return escapeText(text).replaceAll('|', '\\|');
}

export function escapeText(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('<', '&lt;');
}

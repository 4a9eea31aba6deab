/** The examples below a command's help. */

export function examples(lines: readonly (readonly [string, string])[]): string {
  return `\nExamples:\n${lines.map(([command, meaning]) => `  ${command}\n      ${meaning}\n`).join('')}`;
}

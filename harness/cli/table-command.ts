/** `killpoint table [DIR]`: what was demanded beside what run trials reached. */
import { resolve } from 'node:path';
import { notation } from '../reports/reached.ts';
import { isTableReached, reachedRows, renderReachedRows } from '../reports/reached-table.ts';
import { assertWhole, readResults } from '../results/store.ts';
import type { CliContext } from './context.ts';

export async function tableCommand(context: CliContext, folder: string): Promise<0 | 1> {
  const path = resolve(context.workingFolder, folder);
  const results = await readResults(path);
  assertWhole(results, path);
  const rows = reachedRows(results);
  context.print(`${renderReachedRows(rows, context.width)}\n${notation}\n`);
  return isTableReached(rows) ? 0 : 1;
}

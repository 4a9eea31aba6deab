/** `killpoint judge DIR`: verdicts made again from stored histories, differences named. */
import { resolve } from 'node:path';
import { exitCodes } from '../model/errors.ts';
import { counted } from '../reports/rerun.ts';
import { formatCounts } from '../reports/terminal.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { judgeFolder } from '../results/judge-folder.ts';
import type { CliContext } from './context.ts';

/** A difference is as loud as an unmet trial; otherwise the code is the one the run had. */
export async function judgeCommand(context: CliContext, folder: string): Promise<ResultsExitCode> {
  const path = resolve(context.workingFolder, folder);
  const { matricesFolder } = context;
  const { results, differences, histories, skipped } = await judgeFolder({
    folder: path,
    matricesFolder,
  });
  for (const { kind, about, message } of differences) {
    context.print(`${kind}  ${about ?? 'the whole run'}\n  ${message}\n`);
  }
  context.print(
    `${counted(histories, 'history').replace(/historys$/, 'histories')} judged again, ${counted(differences.length, 'difference')}\n${formatCounts(results.counts)}\n`,
  );
  for (const line of skipped) context.note(`${line}\n`);
  if (differences.length === 0) return exitCodeOf(results);
  context.note(
    'The stored results and their histories do not agree. Histories are not committed: after a fresh clone, run the matrix first.\n',
  );
  return exitCodes.unmet;
}

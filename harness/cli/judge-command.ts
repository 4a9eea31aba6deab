/** `killpoint judge DIR`: verdicts made again from stored histories, differences named. */
import { resolve } from 'node:path';
import { judgeCertificate } from '../certify/judge-certificate.ts';
import { exitCodes } from '../model/errors.ts';
import { formatProven } from '../reports/certificate.ts';
import { counted } from '../reports/rerun.ts';
import { formatCounts } from '../reports/terminal.ts';
import type { Difference } from '../results/differences.ts';
import { exitCodeOf, type ResultsExitCode } from '../results/exit-code.ts';
import { judgeFolder } from '../results/judge-folder.ts';
import { exitCodeOfStanding } from './certifying.ts';
import type { CliContext } from './context.ts';

/** A difference is as loud as an unmet trial; otherwise the code is the one the run had. */
export async function judgeCommand(context: CliContext, named: string): Promise<ResultsExitCode> {
  const path = resolve(context.workingFolder, named);
  return named.endsWith('.json')
    ? await judgeCertificateFile(context, path)
    : await judgeResultsFolder(context, path);
}

async function judgeCertificateFile(context: CliContext, path: string): Promise<ResultsExitCode> {
  const { certificate, differences, histories } = await judgeCertificate(path);
  printDifferences(context, differences, 'the certificate');
  context.print(
    `${countedHistories(histories)} judged again, ${counted(differences.length, 'difference')}\ndeclared  ${certificate.declared.class}\nproven    ${formatProven(certificate)}\n`,
  );
  if (differences.length === 0) return exitCodeOfStanding(certificate);
  context.note(
    'The certificate and its histories do not agree: nothing that it says is to be relied on.\n',
  );
  return exitCodes.unmet;
}

async function judgeResultsFolder(context: CliContext, path: string): Promise<ResultsExitCode> {
  const { matricesFolder } = context;
  const { results, differences, histories, skipped } = await judgeFolder({
    folder: path,
    matricesFolder,
  });
  printDifferences(context, differences, 'the whole run');
  context.print(
    `${countedHistories(histories)} judged again, ${counted(differences.length, 'difference')}\n${formatCounts(results.counts)}\n`,
  );
  for (const line of skipped) context.note(`${line}\n`);
  if (differences.length === 0) return exitCodeOf(results);
  context.note(
    'The stored results and their histories do not agree. Histories are not committed: after a fresh clone, run the matrix first.\n',
  );
  return exitCodes.unmet;
}

function printDifferences(
  context: CliContext,
  differences: readonly Difference[],
  whole: string,
): void {
  for (const { kind, about, message } of differences) {
    context.print(`${kind}  ${about ?? whole}\n  ${message}\n`);
  }
}

function countedHistories(histories: number): string {
  return counted(histories, 'history').replace(/historys$/, 'histories');
}

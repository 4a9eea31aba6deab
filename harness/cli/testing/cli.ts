/** The commands in this process, on folders of the test's own, with what they print caught. */
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { builtInCatalogue } from '../../plan/catalogue.ts';
import type { CliContext } from '../context.ts';
import { createProgram } from '../program.ts';
import { reportError } from '../report-error.ts';
import { openTemporaryFolder } from '../temporary-folder.ts';

export const repository = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export interface CliRun {
  readonly exitCode: number;
  readonly printed: string;
  /** Notes, progress and the message of an error. */
  readonly noted: string;
}

/** A context on a folder of the test's own; what it is told is caught. */
export function caughtContext(workingFolder: string, changes: Partial<CliContext> = {}) {
  const printed: string[] = [];
  const noted: string[] = [];
  const progressStream = new PassThrough();
  progressStream.resume();
  const context: CliContext = {
    print: (text) => printed.push(text),
    note: (text) => noted.push(text),
    progressStream,
    residentMemoryBytes: () => process.memoryUsage.rss(),
    progressIsTerminal: false,
    width: 160,
    colour: false,
    workingFolder,
    matricesFolder: `${repository}/matrices`,
    version: '0.0.0',
    catalogue: builtInCatalogue(repository, '.ts'),
    reducer: `${repository}/adapters/reduced-target.ts`,
    mcpBridge: `${repository}/harness/mcp/bridge.ts`,
    templatesFolder: `${repository}/templates`,
    cores: 2,
    environment: {},
    onInterrupt: () => () => undefined,
    onExit: () => () => undefined,
    openTemporaryFolder: () => openTemporaryFolder(() => () => undefined),
    ...changes,
  };
  return { context, printed, noted };
}

export async function runCli(
  workingFolder: string,
  argv: readonly string[],
  changes: Partial<CliContext> = {},
): Promise<CliRun> {
  const { context, printed, noted } = caughtContext(workingFolder, changes);
  let exitCode = 0;
  try {
    const program = createProgram(context, (code) => {
      exitCode = code;
    });
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    const report = reportError(error, { debug: false });
    exitCode = report.exitCode;
    noted.push(report.message);
  }
  return { exitCode, printed: printed.join(''), noted: noted.join('\n') };
}

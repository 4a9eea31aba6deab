/** Argv and the process in, exit code out. The commands themselves know neither. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../model/errors.ts';
import { wholeCatalogue } from '../plan/whole-catalogue.ts';
import type { CliContext } from './context.ts';
import type { ProcessGuard } from './process-guard.ts';
import { createProgram } from './program.ts';
import { reportError } from './report-error.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

const defaultWidth = 160;

export async function start(guard: ProcessGuard, workingFolder: string): Promise<number> {
  try {
    let exitCode: number = exitCodes.met;
    const program = createProgram(readContext(guard, workingFolder), (code) => {
      exitCode = code;
    });
    await program.parseAsync(process.argv);
    return exitCode;
  } catch (error) {
    const debug = process.env.KILLPOINT_DEBUG === '1';
    const { exitCode, message } = reportError(error, { debug });
    if (message !== '') process.stderr.write(`${message}\n`);
    return exitCode;
  }
}

function readContext(guard: ProcessGuard, workingFolder: string): CliContext {
  // From source the modules stand two folders up; when built, `dist/` lies between them and the package.
  const isBuilt = !import.meta.url.endsWith('.ts');
  const modules = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const packageFolder = fileURLToPath(new URL(isBuilt ? '../../..' : '../..', import.meta.url));
  return {
    print: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    progressStream: process.stderr,
    residentMemoryBytes: () => process.memoryUsage.rss(),
    progressIsTerminal: process.stderr.isTTY === true,
    width: process.stdout.columns ?? defaultWidth,
    colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
    workingFolder,
    matricesFolder: `${packageFolder}matrices`,
    templatesFolder: `${packageFolder}templates`,
    version: readVersion(`${packageFolder}package.json`),
    catalogue: wholeCatalogue(modules, isBuilt ? '.js' : '.ts'),
    reducer: `${modules}/adapters/reduced-target${isBuilt ? '.js' : '.ts'}`,
    mcpBridge: `${modules}/harness/mcp/bridge${isBuilt ? '.js' : '.ts'}`,
    cores: availableParallelism(),
    environment: process.env,
    onInterrupt: guard.onInterrupt,
    onExit: guard.onExit,
    openTemporaryFolder: () => openTemporaryFolder(guard.onExit),
  };
}

function readVersion(path: string): string {
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return version;
}

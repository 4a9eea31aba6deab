/** What a script that runs trials needs of the process it is: where the parts stand, arguments, an exit code. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exitCodes, HarnessError, UsageError } from '../../harness/model/errors.ts';
import { builtInCatalogue } from '../../harness/plan/catalogue.ts';
import { loadCatalogue } from '../../harness/trial/run.ts';
import type { Parts } from './bench-lab.ts';

export interface BuiltIn {
  readonly parts: Parts;
  readonly matricesFolder: string;
}

/** The gates and targets that come with the package, with their declarations read. */
export async function loadBuiltIn(): Promise<BuiltIn> {
  // From source the modules stand two folders up; when built, `dist/` lies between them and the package.
  const isBuilt = !import.meta.url.endsWith('.ts');
  const modules = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const matricesFolder = fileURLToPath(
    new URL(isBuilt ? '../../../matrices' : '../../matrices', import.meta.url),
  );
  const parts = await loadCatalogue(builtInCatalogue(modules, isBuilt ? '.js' : '.ts'));
  return { parts, matricesFolder };
}

/** Throws UsageError for anything but a whole number in the range. */
export function readWholeNumber(
  option: string,
  text: string,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const value = /^(0|[1-9]\d{0,11})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(
    `${option}: expected a whole number from ${least} to ${most}, got "${text}"`,
  );
}

export function isMain(moduleUrl: string): boolean {
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === fileURLToPath(moduleUrl);
}

/** The first signal stops it in order; a second one does not wait. */
export function listenForSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exitCodes.inconclusive);
      stop.abort();
    });
  }
  return stop;
}

/** Runs a script's main function and turns whatever it throws into a message and an exit code. */
export async function runScript(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.exitCode = isUsage(error) ? exitCodes.usage : exitCodes.internal;
    process.stderr.write(`${isUsage(error) ? error.message : describe(error)}\n`);
  }
}

/** parseArgs names what it does not know by an error with a code of its own. */
function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return (
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}

function describe(error: unknown): string {
  if (error instanceof HarnessError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

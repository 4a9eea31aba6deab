#!/usr/bin/env node
/**
 * The `killpoint` command. First of all it guards the process; only then is the rest loaded, since a
 * signal or a fault may come while it is.
 */
import { exitCodes } from '../model/errors.ts';
import { optimizeLate } from '../trial/optimize-late.ts';
import { describeFault } from './describe-fault.ts';
import { guardProcess } from './process-guard.ts';

const guard = guardProcess();
optimizeLate();
guard.end(await run());

async function run(): Promise<number> {
  const workingFolder = findWorkingFolder();
  if (workingFolder === undefined) {
    process.stderr.write(
      'killpoint: expected a working folder, got one that is gone; change to another folder\n',
    );
    return exitCodes.usage;
  }
  try {
    const { start } = await import('./start.ts');
    return await start(guard, workingFolder);
  } catch (error) {
    const debug = process.env.KILLPOINT_DEBUG === '1';
    process.stderr.write(`${describeFault(error, { debug })}\n`);
    return exitCodes.internal;
  }
}

/** Undefined when it was removed. */
function findWorkingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

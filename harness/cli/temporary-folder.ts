/**
 * One temporary folder for everything a command starts, so that it can go in one piece however the
 * command ends.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../model/errors.ts';

/** Makes it the one that TMPDIR names; returns how to remove it. Throws UsageError where none can be made. */
export function openTemporaryFolder(onExit: (cleanUp: () => void) => () => void): () => void {
  const folder = makeFolder(tmpdir());
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const callOff = onExit(remove);
  return () => {
    callOff();
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    remove();
  };
}

function makeFolder(base: string): string {
  try {
    return mkdtempSync(join(base, 'killpoint-run-'));
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `expected a temporary folder that can be written at ${base}, got: ${got}; set TMPDIR to a folder on a local disk`,
      { cause: error },
    );
  }
}

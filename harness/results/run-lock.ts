/**
 * One run, one folder: a lock file that names who writes here and since when. It appears whole or not
 * at all, by a hard link, so nobody ever reads half of it. Whoever is dead holds nothing.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../model/errors.ts';

export const lockFile = 'run.lock';

const holderSchema = z.strictObject({
  pid: z.number().int().positive(),
  /** Where the pid means something. */
  host: z.string(),
  startedAt: z.string(),
  /** What tells a process from a later one with its pid; null where the system does not say. */
  processStart: z.string().nullable(),
});
export type LockHolder = z.infer<typeof holderSchema>;

export interface LockInput {
  readonly folder: string;
  /** Who takes the lock. */
  readonly holder: LockHolder;
  /** What `processStart` would be of a live process with this pid; undefined when there is none. */
  readonly findProcess: (pid: number) => { readonly processStart: string | null } | undefined;
}

export interface RunLock {
  /** Gives the folder free; twice does no harm. Synchronous, for use while the process is ending. */
  release(): void;
}

/** Two tries take over from a dead holder; more would only be needed against others doing the same. */
const triesAtMost = 5;

/** Throws UsageError that names the holder where it lives, or may live, and where no lock can be written. */
export function takeRunLock(input: LockInput): RunLock {
  try {
    return takeOrRefuse(input);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new UsageError(
      `expected a folder that can be written at ${input.folder}, got: ${String(error)}; choose another with --out`,
      { cause: error },
    );
  }
}

function takeOrRefuse(input: LockInput): RunLock {
  const path = join(input.folder, lockFile);
  const text = `${JSON.stringify(input.holder)}\n`;
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    if (place(path, text, input.holder.pid)) return { release: () => release(path, text) };
    const found = readLock(path);
    if (found === undefined) continue;
    const holder = parseHolder(found, path);
    if (isHeld(holder, input)) throw taken(input.folder, holder);
    removeStale(path, { found, pid: input.holder.pid });
  }
  throw new UsageError(
    `expected to be alone in ${input.folder}, others keep taking its lock ${path}; wait for them, or choose another folder with --out`,
  );
}

function place(path: string, text: string, pid: number): boolean {
  const whole = `${path}.${pid}`;
  writeFileSync(whole, text);
  try {
    linkSync(whole, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!withoutHardLinks.includes(String(codeOf(error)))) throw error;
    return placeUnlinked(path, text);
  } finally {
    rmSync(whole, { force: true });
  }
}

/** What file systems that know no hard links answer. */
const withoutHardLinks = ['EPERM', 'ENOSYS', 'EOPNOTSUPP', 'ENOTSUP'];

function placeUnlinked(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moved aside before it is removed: a lock that was taken in between is put back. */
function removeStale(
  path: string,
  { found, pid }: { readonly found: string; readonly pid: number },
): void {
  const aside = `${path}.${pid}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    // Another one was faster; the next try sees whose it is now.
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if (readFileSync(aside, 'utf8') !== found) linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

function release(path: string, text: string): void {
  if (readLock(path) === text) rmSync(path, { force: true });
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file that is no lock of ours is somebody's, and is not taken away. */
function parseHolder(text: string, path: string): LockHolder {
  const parsed = holderSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `expected ${path} to name the run that writes there, got something else; remove the file if no run does, or choose another folder with --out`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Of another machine nothing can be known, so its lock counts. */
function isHeld(holder: LockHolder, { holder: self, findProcess }: LockInput): boolean {
  if (holder.host !== self.host) return true;
  const live = findProcess(holder.pid);
  if (live === undefined) return false;
  if (live.processStart === null || holder.processStart === null) return true;
  return live.processStart === holder.processStart;
}

function taken(folder: string, { pid, host, startedAt }: LockHolder): UsageError {
  return new UsageError(
    `expected to be alone in ${folder}, got a run that writes there since ${startedAt}: process ${pid} on ${host}; wait for its end, or choose another folder with --out (if it is gone for certain, remove ${join(folder, lockFile)})`,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

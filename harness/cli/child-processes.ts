/** The processes around this one: the children it has, and whether another one lives. */
import { readFileSync } from 'node:fs';

/**
 * SIGKILLs every child with its process group. For the moment in which nobody can be asked what was
 * started; synchronous. Where the system keeps no list of children none is found, and subjects end by
 * themselves when their descriptor closes.
 */
export function killChildren(): void {
  for (const pid of listChildren()) {
    // A subject leads a group; what does not is killed alone.
    if (!kill(-pid)) kill(pid);
  }
}

/** Since when a process has its pid, in the system's own count; undefined when there is none. */
export function findProcess(pid: number): { readonly processStart: string | null } | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return undefined;
  }
  const fields = readStat(pid);
  if (fields === null) return { processStart: null };
  // A zombie has ended and only waits to be reaped.
  return fields.state === 'Z' ? undefined : { processStart: fields.start };
}

function listChildren(): readonly number[] {
  const text = readText(`/proc/self/task/${process.pid}/children`);
  return text === null ? [] : text.trim().split(' ').filter(Boolean).map(Number);
}

/** Fields 3 and 22 of proc_pid_stat(5); the name before them may hold spaces and parentheses. */
function readStat(pid: number): { readonly state: string; readonly start: string } | null {
  const text = readText(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(') ') + 2).split(' ') ?? [];
  const [state] = fields;
  const start = fields[19];
  return state === undefined || start === undefined ? null : { state, start };
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH' || codeOf(error) === 'EPERM') return false;
    throw error;
  }
}

/** Null where there is no such file, or no /proc at all. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

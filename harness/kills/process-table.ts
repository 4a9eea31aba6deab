/**
 * Reads the process table (Linux, /proc) for what is left of a subject: live members of its process
 * group, and live holders of its token wherever they went. Zombies are dead: they only wait to be
 * reaped. Processes may vanish at any moment while this looks.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { HarnessError } from '../model/errors.ts';

/** The environment variable by which stray descendants of a subject are found. */
export const tokenVariable = 'KILLPOINT_TOKEN';

export interface ProcessEntry {
  readonly pid: number;
  readonly name: string;
  /** One letter, as in proc_pid_stat(5). */
  readonly state: string;
  readonly group: number;
  /** Clock ticks since the machine started. */
  readonly startedTicks: number;
}

export interface SubjectMarks {
  /** The subject's pid, which is also its group's. */
  readonly pid: number;
  readonly token: string;
  /** When the subject itself started; what is older can't be its descendant. */
  readonly startedTicks: number;
}

export interface LiveProcess {
  readonly pid: number;
  readonly foundBy: 'group' | 'token';
}

/** Throws HarnessError where there is no process table to read: no kill could be proven there. */
export function requireProcessTable(platform: NodeJS.Platform): void {
  if (platform === 'linux') return;
  throw new HarnessError(
    'subject-not-started',
    `expected Linux, where /proc shows whether a killed subject has left anything alive, got ${platform}; run Killpoint on Linux or in a Linux container`,
  );
}

/** Everything of the subject that is alive, the subject included. */
export function findLive(marks: SubjectMarks): readonly LiveProcess[] {
  const found: LiveProcess[] = [];
  for (const pid of candidates(marks.pid)) {
    const entry = readProcess(pid);
    if (entry === null || !isLive(entry) || entry.startedTicks < marks.startedTicks) continue;
    if (entry.group === marks.pid) found.push({ pid, foundBy: 'group' });
    else if (holdsToken(pid, marks.token)) found.push({ pid, foundBy: 'token' });
  }
  return found;
}

export function isLive(entry: ProcessEntry): boolean {
  return entry.state !== 'Z' && entry.state !== 'X';
}

/** Null when there is no such process any more. */
export function readProcess(pid: number): ProcessEntry | null {
  const text = readProc(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(text);
}

/** Reads one line of /proc/PID/stat, whose second field is a name that may hold spaces and parentheses. */
export function parseStat(text: string): ProcessEntry | null {
  const open = text.indexOf(' (');
  const close = text.lastIndexOf(') ');
  if (open < 0 || close < open) return null;
  const fields = text.slice(close + 2).split(' ');
  const [state, , group] = fields;
  const startedTicks = Number(fields[19]);
  const pid = Number(text.slice(0, open));
  if (state === undefined || !Number.isSafeInteger(startedTicks)) return null;
  return { pid, name: text.slice(open + 2, close), state, group: Number(group), startedTicks };
}

/**
 * Pids are given out in rising order until they wrap. As long as the newest is above the subject's, its
 * descendants are above it too, and a machine's hundreds of older processes need no look.
 */
function candidates(subject: number): readonly number[] {
  const newest = Number(readProc('/proc/loadavg')?.trim().split(' ').at(-1));
  const wrapped = !(newest >= subject);
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && (wrapped || pid >= subject));
}

function holdsToken(pid: number, token: string): boolean {
  const environment = readProc(`/proc/${pid}/environ`);
  return environment?.split('\0').includes(`${tokenVariable}=${token}`) ?? false;
}

/** Null when the process is gone, or is another user's and so none of ours. */
function readProc(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    return absent(error);
  }
  try {
    return readToEnd(file);
  } catch (error) {
    return absent(error);
  } finally {
    closeSync(file);
  }
}

// Six times as fast as readFileSync, which doesn't know the length of a file in /proc beforehand.
function readToEnd(file: number): string {
  const buffer = Buffer.allocUnsafe(4096);
  let text = '';
  for (;;) {
    const length = readSync(file, buffer, 0, buffer.length, null);
    if (length === 0) return text;
    text += buffer.toString('latin1', 0, length);
  }
}

function absent(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return null;
  throw error;
}

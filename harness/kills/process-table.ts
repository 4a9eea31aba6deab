/**
 * Reads the process table (Linux, /proc) for what is left of a subject: live members of its process
 * group, live holders of its token wherever they went, and the descendants of either. Once a subject
 * is dead nothing shows whose child a process was, so its descendants are looked up before and
 * remembered. Zombies are dead: they only wait to be reaped. Processes may vanish at any moment while
 * this looks. Unseen remains who has left group and token and lost its parent before anybody looked.
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
  readonly parent: number;
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

/** A process for good: its pid may be given to another once it is gone. */
export interface KnownProcess {
  readonly pid: number;
  readonly startedTicks: number;
}

export interface LiveProcess extends KnownProcess {
  readonly foundBy: 'group' | 'token' | 'descent';
}

/** Throws HarnessError where there is no process table to read: no kill could be proven there. */
export function requireProcessTable(platform: NodeJS.Platform): void {
  if (platform === 'linux') return;
  throw new HarnessError(
    'subject-not-started',
    `expected Linux, where /proc shows whether a killed subject has left anything alive, got ${platform}; run Killpoint on Linux or in a Linux container`,
  );
}

/** Everything of the subject that is alive, the subject and what is `remembered` of it included. */
export function findLive(
  marks: SubjectMarks,
  remembered: readonly KnownProcess[] = [],
): readonly LiveProcess[] {
  const table = readLive(marks);
  const found = table.flatMap((entry): LiveProcess[] => {
    const foundBy = whyOf(entry, marks, remembered);
    return foundBy === null ? [] : [{ ...knownBy(entry), foundBy }];
  });
  const further = descendantsOf(found, table);
  return [
    ...found,
    ...further.map((entry) => ({ ...knownBy(entry), foundBy: 'descent' as const })),
  ];
}

/** What has come from the subject and is alive, wherever it went; only while the subject lives. */
export function findDescendants(marks: SubjectMarks): readonly KnownProcess[] {
  const table = readLive(marks);
  const lives = table.some((entry) => isSame(marks, entry));
  return lives ? descendantsOf([marks], table).map(knownBy) : [];
}

function whyOf(
  entry: ProcessEntry,
  marks: SubjectMarks,
  remembered: readonly KnownProcess[],
): LiveProcess['foundBy'] | null {
  if (entry.group === marks.pid) return 'group';
  if (remembered.some((known) => isSame(known, entry))) return 'descent';
  return holdsToken(entry.pid, marks.token) ? 'token' : null;
}

/** Those of the table that come from one of the `ancestors`, without these themselves. */
function descendantsOf(
  ancestors: readonly KnownProcess[],
  table: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const family = new Set(ancestors.map(({ pid }) => pid));
  const found: ProcessEntry[] = [];
  // A child's pid may be below its parent's once pids have wrapped, so one pass is not enough.
  for (let size = -1; size !== family.size; ) {
    size = family.size;
    for (const entry of table) {
      if (family.has(entry.pid) || !family.has(entry.parent)) continue;
      family.add(entry.pid);
      found.push(entry);
    }
  }
  return found;
}

/** The live processes that are young enough to have come from the subject. */
function readLive(marks: SubjectMarks): readonly ProcessEntry[] {
  return candidates(marks.pid).flatMap((pid) => {
    const entry = readProcess(pid);
    const isYoung = entry !== null && entry.startedTicks >= marks.startedTicks;
    return isYoung && isLive(entry) ? [entry] : [];
  });
}

function isSame(left: KnownProcess, right: KnownProcess): boolean {
  return left.pid === right.pid && left.startedTicks === right.startedTicks;
}

function knownBy({ pid, startedTicks }: KnownProcess): KnownProcess {
  return { pid, startedTicks };
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
  const [state, parent, group] = fields;
  const startedTicks = Number(fields[19]);
  const pid = Number(text.slice(0, open));
  if (state === undefined || !Number.isSafeInteger(startedTicks)) return null;
  const name = text.slice(open + 2, close);
  return { pid, name, state, parent: Number(parent), group: Number(group), startedTicks };
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

/** Reading is synchronous and ends with a string, so that one buffer serves every file. */
const readBuffer = Buffer.allocUnsafe(4096);

// Six times as fast as readFileSync, which doesn't know the length of a file in /proc beforehand.
function readToEnd(file: number): string {
  let text = '';
  for (;;) {
    const length = readSync(file, readBuffer, 0, readBuffer.length, null);
    if (length === 0) return text;
    text += readBuffer.toString('latin1', 0, length);
  }
}

function absent(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return null;
  throw error;
}

/**
 * Ends a subject for certain: SIGKILL to its whole process group, its exit awaited, then the process
 * table searched for anything of it that lives on. What has left the group is found by its token, or by
 * its descent, which is looked up just before the signal; it is killed and reported: it may have gone
 * on sending after the kill.
 */
import { HarnessError } from '../model/errors.ts';
import {
  findDescendants,
  findLive,
  type KnownProcess,
  type SubjectMarks,
} from './process-table.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface KillOptions {
  readonly marks: SubjectMarks;
  /** Whether the subject's own process has already been seen to end. */
  readonly hasExited: () => boolean;
  readonly exited: Promise<Exit>;
  /** Descendants that were seen before; those of the moment are looked up. */
  readonly remembered?: readonly KnownProcess[];
  /** Called once the signal has been given to the kernel, before the exit can be seen. */
  readonly onSent: () => void;
}

export interface KillReport {
  readonly exit: Exit;
  /** Our signal was sent while the process ran, and by that signal it ended. */
  readonly provenSigkill: boolean;
  /** Live processes after the exit that the signal did not end; they are dead or dying now. */
  readonly survivors: readonly number[];
}

/** A process under SIGKILL ends within milliseconds unless the kernel itself is stuck. */
const exitDeadlineMs = 10_000;
/** A killed grandchild needs a moment to end; together about 250 ms. */
const rescanAfterMs = [1, 2, 4, 8, 16, 32, 64, 128];

export async function killSubject(options: KillOptions): Promise<KillReport> {
  const { marks, remembered = [] } = options;
  const descendants = options.hasExited() ? [] : findDescendants(marks);
  const sent = !options.hasExited() && signalGroup(marks.pid);
  if (sent) options.onSent();
  const exit = await within(exitDeadlineMs, options.exited, marks.pid);
  const survivors = await endSurvivors(marks, [...remembered, ...descendants]);
  return { exit, provenSigkill: sent && exit.signal === 'SIGKILL', survivors };
}

/**
 * Ends what is left of a subject that has exited, and returns what had outlived it: every process
 * found outside its group, and those of the group that would not die. `descendants` were seen while it
 * lived.
 */
export async function endSurvivors(
  marks: SubjectMarks,
  descendants: readonly KnownProcess[] = [],
): Promise<readonly number[]> {
  const escaped = new Set<number>();
  let remembered = descendants;
  let live = findLive(marks, remembered);
  for (const waitMs of rescanAfterMs) {
    if (live.length === 0) break;
    for (const { pid, foundBy } of live) {
      if (foundBy !== 'group') escaped.add(pid);
      signalProcess(pid);
    }
    await pause(waitMs);
    // What was found by its parent alone can't be found so again: the parent is dead by now.
    remembered = [...remembered, ...live];
    live = findLive(marks, remembered);
  }
  return [...new Set([...escaped, ...live.map(({ pid }) => pid)])];
}

/** SIGKILL to everything of a subject at once, without waiting. */
export function signalAll(marks: SubjectMarks): void {
  const live = [...findDescendants(marks), ...findLive(marks)];
  signalGroup(marks.pid);
  for (const { pid } of live) signalProcess(pid);
}

/** SIGKILL to the group; false when nothing of it is left. */
export function signalGroup(pid: number): boolean {
  return signalProcess(-pid);
}

/** SIGKILL to one process; false when it is gone already. */
export function signalProcess(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    // Gone already, or of another user by now; the process table says which of the two.
    if (
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ESRCH' || error.code === 'EPERM')
    )
      return false;
    throw error;
  }
}

function within(deadlineMs: number, exited: Promise<Exit>, pid: number): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new HarnessError(
          'subject-silent',
          `expected process ${pid} to end within ${deadlineMs} ms of SIGKILL, it did not; look at its state in /proc/${pid}/status`,
        ),
      );
    }, deadlineMs);
    exited.then(
      (exit) => {
        clearTimeout(timer);
        resolve(exit);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

/**
 * Stops a subject without ending it: SIGSTOP to its whole process group, proven by the process table,
 * and SIGCONT later. A stopped process keeps its locks and its connections, and can't notice that
 * whoever stopped it is gone; so a guard stands by that lets it go on when our end of a pipe closes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { HarnessError } from '../model/errors.ts';
import { findLive, readProcess, type SubjectMarks } from './process-table.ts';

export interface Pause {
  /** SIGCONT to the whole group. Throws HarnessError when it was not stopped up to this moment. */
  resume(): void;
  /** SIGCONT and nothing asked, for a subject that is to be ended. */
  abandon(): void;
}

/** The signal takes effect when the process is next scheduled. */
const stopDeadlineMs = 5_000;

/**
 * Resolves once the process table says that every process of the group is stopped. Throws HarnessError
 * when that never comes.
 */
export async function pauseSubject(marks: SubjectMarks): Promise<Pause> {
  const { pid } = marks;
  const guard = await startGuard(pid);
  const letGo = (): void => {
    signalGroup(pid, 'SIGCONT');
    guard.kill('SIGKILL');
  };
  signalGroup(pid, 'SIGSTOP');
  if (!(await isStoppedWithin(marks, stopDeadlineMs))) {
    const states = describeStates(marks);
    letGo();
    throw new HarnessError(
      'pause-not-proven',
      `expected the group of process ${pid} to be in state T within ${stopDeadlineMs} ms of SIGSTOP, got ${states}`,
    );
  }
  return {
    resume() {
      const stopped = isStopped(marks);
      const states = describeStates(marks);
      letGo();
      if (!stopped) {
        throw new HarnessError(
          'pause-not-proven',
          `expected the group of process ${pid} to be in state T until it was let go on, got ${states}; something else has sent it a signal`,
        );
      }
    },
    abandon: letGo,
  };
}

/** Continues the group when its standard input ends, which is when we end. */
async function startGuard(pid: number): Promise<ChildProcess> {
  const script = 'read -r _; kill -s CONT -- "-$0"';
  const guard = spawn('/bin/sh', ['-c', script, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    // A signal to our own group must not end the guard before it has done its work.
    detached: true,
  });
  await once(guard, 'spawn');
  // Neither may keep us alive: that we end is what it waits for.
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return guard;
}

/** The first is the subject itself, which must be there; others may end at any time. */
function statesOf(marks: SubjectMarks): readonly string[] {
  const others = findLive(marks).filter(
    ({ pid, foundBy }) => foundBy === 'group' && pid !== marks.pid,
  );
  const own = readProcess(marks.pid)?.state ?? 'no such process';
  return [own, ...others.flatMap(({ pid }) => readProcess(pid)?.state ?? [])];
}

function isStopped(marks: SubjectMarks): boolean {
  return statesOf(marks).every((state) => state === 'T');
}

function describeStates(marks: SubjectMarks): string {
  return statesOf(marks).join(', ');
}

async function isStoppedWithin(marks: SubjectMarks, deadlineMs: number): Promise<boolean> {
  const endMs = performance.now() + deadlineMs;
  while (!isStopped(marks)) {
    if (performance.now() > endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return true;
}

function signalGroup(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Whoever asks for the state next learns that nothing is left of it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

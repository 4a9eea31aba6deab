/**
 * Starts a subject's program: no shell, a process group of its own, an environment that holds only what
 * is named, and four pipes.
 *
 * `node:child_process` and not execa: 0.7 against 1.8 ms of CPU a start (mean of 50, Node 20), which at
 * three starts a trial would be a quarter of all the harness may use.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { tokenVariable } from '../kills/process-table.ts';
import { HarnessError } from '../model/errors.ts';
import type { ObservedEvent } from '../model/history.ts';

export interface SpawnOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
  readonly incarnation: number;
  readonly observe: (event: ObservedEvent) => void;
}

export interface SpawnedChild {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly toSubject: Socket;
  readonly fromSubject: Socket;
}

/** Throws HarnessError when the program can't be started. */
export async function spawnChild(options: SpawnOptions): Promise<SpawnedChild> {
  const [program = '', ...args] = options.command;
  try {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...passedOn(), ...options.env, [tokenVariable]: options.token },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    const { pid, stdout, stderr } = child;
    const [, , , toSubject, fromSubject] = child.stdio;
    if (pid === undefined) throw await new Promise((resolve) => child.once('error', resolve));
    if (stdout === null || stderr === null) throw new Error('it has no stdout or stderr');
    if (!(toSubject instanceof Socket && fromSubject instanceof Socket)) {
      throw new Error('it has no descriptors 3 and 4');
    }
    return { process: child, pid, stdout, stderr, toSubject, fromSubject };
  } catch (error) {
    const detail = `${options.command.join(' ')} in ${options.cwd}: ${String(error)}`;
    const { incarnation } = options;
    options.observe({ type: 'subject-misbehaved', incarnation, what: 'not-started', detail });
    throw new HarnessError(
      'subject-not-started',
      `expected the subject's command to start, got: ${detail}; check that the program and the folder exist and that it may be executed`,
      error,
    );
  }
}

function passedOn(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

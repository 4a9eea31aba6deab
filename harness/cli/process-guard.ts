/**
 * What stands between the process and everything that can end it: signals, a stream nobody can write
 * to, and faults of Killpoint's own. It is set up before anything else is loaded, so it loads next to
 * nothing itself. Whatever happens ends in one line and an exit code people's scripts rely on, with
 * nothing left alive that was started.
 */
import { exitCodes } from '../model/errors.ts';
import { killChildren } from './child-processes.ts';
import { describeFault } from './describe-fault.ts';

export interface ProcessGuard {
  /** Calls back on the first request to stop, at once if that has come already; returns how to stop listening. */
  onInterrupt(stop: () => void): () => void;
  /** Calls back, synchronously, when the process has to end at once; returns how to call that off. */
  onExit(cleanUp: () => void): () => void;
  /** Sets the exit code, unless something that outweighs it was seen. */
  end(exitCode: number): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function guardProcess(): ProcessGuard {
  const stops = new Set<() => void>();
  const cleanUps = new Set<() => void>();
  let asked = false;
  let isOutputLost = false;

  /** Everything that was started is dead before anything is taken away under it. */
  const leave = (exitCode: number): never => {
    for (const step of [...stops, killChildren, ...cleanUps]) attempt(step);
    process.exit(exitCode);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked) {
      process.stderr.write(`${signal}: leaving at once\n`);
      leave(exitCodes.inconclusive);
    }
    asked = true;
    if (stops.size === 0) {
      process.stderr.write(
        `\n${signal}: stopped before anything was run; results of earlier runs are as they were\n`,
      );
      leave(exitCodes.inconclusive);
    }
    process.stderr.write(
      `\n${signal}: stopping, and writing what has run; once more to leave at once\n`,
    );
    for (const stop of stops) stop();
  };
  const onFault = (error: unknown) => {
    const debug = process.env.KILLPOINT_DEBUG === '1';
    process.stderr.write(`${describeFault(error, { debug })}\n`);
    leave(exitCodes.internal);
  };
  const onLostOutput = (stream: 'stdout' | 'stderr') => (error: NodeJS.ErrnoException) => {
    // Whoever reads has gone; that is theirs to decide, and what was run and stored stands.
    if (error.code === 'EPIPE' || isOutputLost) return;
    isOutputLost = true;
    process.exitCode = exitCodes.internal;
    if (stream === 'stdout') {
      process.stderr.write(
        `killpoint: expected to write to stdout, got: ${error.message}; send the output elsewhere\n`,
      );
    }
  };

  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  process.stdout.on('error', onLostOutput('stdout'));
  process.stderr.on('error', onLostOutput('stderr'));

  return {
    onInterrupt(stop) {
      stops.add(stop);
      return () => stops.delete(stop);
    },
    onExit(cleanUp) {
      cleanUps.add(cleanUp);
      return () => cleanUps.delete(cleanUp);
    },
    end(exitCode) {
      process.exitCode = isOutputLost ? exitCodes.internal : exitCode;
    },
  };
}

/** One step that fails must not keep the next from being taken. */
function attempt(step: () => void): void {
  try {
    step();
  } catch (error) {
    process.stderr.write(`killpoint: could not clean up: ${String(error)}\n`);
  }
}

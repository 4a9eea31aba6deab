/** A results folder for one run alone, and a request to stop that reaches it. */
import { hostname } from 'node:os';
import { takeRunLock } from '../results/run-lock.ts';
import { makeResultsFolder } from '../results/store.ts';
import { findProcess } from './child-processes.ts';
import type { CliContext } from './context.ts';

/** From here on a request to stop ends in results that say so, and the folder is this run's alone. */
export async function holdingFolder<T>(
  context: CliContext,
  folder: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await makeResultsFolder(folder);
  const lock = takeRunLock({
    folder,
    holder: {
      pid: process.pid,
      host: hostname(),
      startedAt: new Date().toISOString(),
      processStart: findProcess(process.pid)?.processStart ?? null,
    },
    findProcess,
  });
  const callOff = context.onExit(() => lock.release());
  const abort = new AbortController();
  const stopListening = context.onInterrupt(() => abort.abort());
  try {
    return await work(abort.signal);
  } finally {
    stopListening();
    callOff();
    lock.release();
  }
}

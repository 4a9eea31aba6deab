/**
 * Writes one history: the spec first and synced before anything is spawned, events as they are
 * observed, the footer last. Also lets the trial wait for an event, with a deadline.
 */
import { closeSync, fsync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { HarnessError } from '../model/errors.ts';
import {
  type HistoryEvent,
  historyFormat,
  type ObservedEvent,
  witnessOf,
} from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { concealInJson } from './secrets.ts';

export interface Recorder {
  /** None of these stands in the history from now on. */
  conceal(secrets: readonly string[]): void;
  observe(event: ObservedEvent): void;
  /** The first matching event from now on, or undefined once the deadline has passed. */
  next(
    matches: (event: ObservedEvent) => boolean,
    deadlineMs: number,
  ): Promise<ObservedEvent | undefined>;
  /** Writes the footer and syncs. Events observed later are not part of the history. */
  finish(): Promise<void>;
  /** Closes without a footer, so that the history can never be taken for whole. */
  abandon(): void;
}

interface Waiter {
  readonly matches: (event: ObservedEvent) => boolean;
  readonly resolve: (event: ObservedEvent | undefined) => void;
}

// Not the synchronous one: it would hold up every other trial for as long as the disk takes.
const sync = promisify(fsync);

/** Resolves once the spec is on disk. */
export async function openRecorder(path: string, spec: TrialSpec): Promise<Recorder> {
  const file = openForWriting(path);
  const startedAt = performance.now();
  const waiters = new Set<Waiter>();
  let events = 0;
  let open = true;
  let concealed: readonly string[] = [];
  const writeLine = (line: object) =>
    writeSync(file, `${concealInJson(JSON.stringify(line), concealed)}\n`);

  writeLine({ header: { format: historyFormat, spec } });
  await sync(file);

  return {
    conceal(secrets) {
      concealed = secrets;
    },
    observe(event) {
      if (!open) return;
      events += 1;
      const atMs = Math.round((performance.now() - startedAt) * 100) / 100;
      const line: HistoryEvent = { n: events, atMs, witness: witnessOf[event.type], event };
      writeLine(line);
      for (const waiter of waiters) if (waiter.matches(event)) waiter.resolve(event);
    },
    next(matches, deadlineMs) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(undefined), deadlineMs);
        const settle = (event: ObservedEvent | undefined) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(event);
        };
        const waiter: Waiter = { matches, resolve: settle };
        waiters.add(waiter);
      });
    },
    async finish() {
      writeLine({ footer: { events } });
      open = false;
      await sync(file);
      closeSync(file);
    },
    abandon: () => {
      if (!open) return;
      open = false;
      closeSync(file);
    },
  };
}

function openForWriting(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'w');
  } catch (error) {
    throw new HarnessError('workspace', `can't write the history ${path}: ${String(error)}`, error);
  }
}

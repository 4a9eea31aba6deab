/**
 * Writes one history: the spec first and synced before anything is spawned, events as they are
 * observed, the footer last. Also lets the trial wait for an event, with a deadline, and hands out what
 * it has written, so that a verdict needs no second look at the disk.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { HarnessError } from '../model/errors.ts';
import {
  type History,
  type HistoryEvent,
  historyFormat,
  type ObservedEvent,
  witnessOf,
} from '../model/history.ts';
import { parseHistory } from '../model/parse-history.ts';
import { recallHistory } from '../model/recall-history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { concealInJson } from './secrets.ts';

/** A history that is whole on disk. */
export interface RecordedHistory {
  /** What `parseHistory` makes of the file. */
  readonly history: History;
  /** SHA-256 of the file's bytes, in hex. */
  readonly sha256: string;
}

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
  finish(): Promise<RecordedHistory>;
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
  const events: HistoryEvent[] = [];
  const lines: string[] = [];
  let open = true;
  let concealed: readonly string[] = [];
  /** The text as it was written where something of it had to be concealed, otherwise null. */
  const writeLine = (line: object): string | null => {
    const told = JSON.stringify(line);
    const text = concealInJson(told, concealed);
    writeSync(file, `${text}\n`);
    lines.push(text);
    return text === told ? null : text;
  };

  writeLine({ header: { format: historyFormat, spec } });
  await sync(file);

  return {
    conceal(secrets) {
      concealed = secrets;
    },
    observe(event) {
      if (!open) return;
      const atMs = Math.round((performance.now() - startedAt) * 100) / 100;
      const line: HistoryEvent = {
        n: events.length + 1,
        atMs,
        witness: witnessOf[event.type],
        event,
      };
      const concealing = writeLine(line);
      // What was concealed in the file must not be judged by either.
      events.push(concealing === null ? line : (JSON.parse(concealing) as HistoryEvent));
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
      writeLine({ footer: { events: events.length } });
      open = false;
      await sync(file);
      const { size } = fstatSync(file);
      closeSync(file);
      const text = `${lines.join('\n')}\n`;
      // As when the disk took less than it was given: then the file is what there is.
      return size === Buffer.byteLength(text)
        ? { history: recallHistory(lines, events), sha256: sha256Of(text) }
        : readBack(path);
    },
    abandon: () => {
      if (!open) return;
      open = false;
      closeSync(file);
    },
  };
}

function readBack(path: string): RecordedHistory {
  const text = readFileSync(path, 'utf8');
  return { history: parseHistory(text), sha256: sha256Of(text) };
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function openForWriting(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'w');
  } catch (error) {
    throw new HarnessError('workspace', `can't write the history ${path}: ${String(error)}`, error);
  }
}

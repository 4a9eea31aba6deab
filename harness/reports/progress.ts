/**
 * Progress while a run lasts: a bar with rate and time left on a terminal, a plain line every few
 * seconds elsewhere, so that a log neither fills up nor looks dead.
 */
import cliProgress from 'cli-progress';
import type { TrialRecord } from '../model/results.ts';
import { counted, formatDuration } from './rerun.ts';

export interface ProgressOptions {
  readonly stream: NodeJS.WritableStream;
  readonly isTerminal: boolean;
  readonly total: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

export interface Progress {
  onTrial(record: TrialRecord, done: number, total: number): void;
  /** Ends the bar, so that the next line starts on its own. */
  stop(): void;
}

const plainEveryMs = 5_000;

export function startProgress(options: ProgressOptions): Progress {
  return options.isTerminal && options.total > 0 ? startBar(options) : startLines(options);
}

function startBar({ stream, total, now }: ProgressOptions): Progress {
  const beganMs = now();
  let unmet = 0;
  const bar = new cliProgress.SingleBar({
    stream,
    format: '{bar} {value}/{total} trials | {rate} | {left} left | {unmet} not as expected',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: false,
    // Signals are the command's business.
    gracefulExit: false,
  });
  const payload = (done: number) => ({ ...pace(done, total, now() - beganMs), unmet });
  bar.start(total, 0, payload(0));
  return {
    onTrial(record, done) {
      if (record.meetsExpectation !== true) unmet += 1;
      bar.update(done, payload(done));
    },
    stop: () => bar.stop(),
  };
}

function startLines({ stream, now }: ProgressOptions): Progress {
  const beganMs = now();
  let lastMs = beganMs;
  let unmet = 0;
  return {
    onTrial(record, done, total) {
      if (record.meetsExpectation !== true) unmet += 1;
      if (now() - lastMs < plainEveryMs && done < total) return;
      lastMs = now();
      const { rate, left } = pace(done, total, lastMs - beganMs);
      stream.write(
        `${done} of ${counted(total, 'trial')}, ${rate}, ${left} left, ${unmet} not as expected\n`,
      );
    },
    stop: () => undefined,
  };
}

function pace(done: number, total: number, elapsedMs: number): { rate: string; left: string } {
  if (done === 0 || elapsedMs <= 0) return { rate: '– a second', left: '–' };
  const perMs = done / elapsedMs;
  return {
    rate: `${(perMs * 1000).toFixed(1)} a second`,
    left: formatDuration((total - done) / perMs),
  };
}

/**
 * Random trials of the reference gate over every target until the time is up, while memory,
 * descriptors, processes and disk are watched.
 *
 *   npm run soak -- --minutes 10             stops at the first trial that does not meet its expectation
 *   npm run soak -- --minutes 10 --seed N    the same trials again
 *
 * Exit codes: 0 the time was used up and every trial met its expectation · 1 a broken promise · 2 a
 * trial that proved nothing, or an interruption · 64 wrong usage · 70 a fault of its own.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { optimizeLate } from '../harness/trial/optimize-late.ts';
import { usualWorkers } from '../harness/trial/usual-workers.ts';
import {
  isMain,
  listenForSignals,
  loadBuiltIn,
  readWholeNumber,
  runScript,
} from './bench/command-line.ts';
import { exitCodeOf, renderHoldings, renderSoak } from './soak/render.ts';
import { runSoak } from './soak/run-soak.ts';

/** Long enough that setting a run up counts for little, short enough to end near the time asked for. */
const batchSize = 40;
const seedCount = 2 ** 32;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      // For trying it out: so many trials, whatever time is left.
      trials: { type: 'string' },
      seed: { type: 'string', default: String(randomInt(seedCount)) },
      workers: { type: 'string', default: String(usualWorkers(availableParallelism())) },
      out: { type: 'string', default: 'results/soak' },
    },
  });
  const minutes = readWholeNumber('--minutes', values.minutes, { least: 1, most: 100_000 });
  const seed = readWholeNumber('--seed', values.seed, { least: 0, most: seedCount - 1 });
  const workers = readWholeNumber('--workers', values.workers, { least: 1, most: 256 });
  const trials =
    values.trials === undefined
      ? null
      : readWholeNumber('--trials', values.trials, { least: 1, most: 1_000_000 });

  optimizeLate();
  const { parts } = await loadBuiltIn();
  const tempFolder = mkdtempSync(join(tmpdir(), 'killpoint-soak-'));
  // Everything a run or a subject leaves in the temporary folder is to be seen, and to go with it.
  process.env.TMPDIR = tempFolder;
  const stop = listenForSignals();
  const note = (text: string) => process.stderr.write(`${text}\n`);
  note(`soak: seed ${seed}, ${workers} at a time, ${minutes} min`);
  try {
    const outcome = await runSoak({
      parts,
      seed,
      durationMs: minutes * 60_000,
      trials,
      batchSize,
      workers,
      outDir: resolve(values.out),
      tempFolder,
      intervalMs: 30_000,
      signal: stop.signal,
      onHoldings: (holdings, done) => note(renderHoldings(holdings, done)),
    });
    process.stdout.write(renderSoak(outcome, seed));
    return exitCodeOf(outcome);
  } finally {
    rmSync(tempFolder, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) await runScript(main);

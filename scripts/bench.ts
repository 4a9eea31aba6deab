/**
 * Measures what a trial costs beside the process starts it needs, and what the reference gate costs
 * beside a bare call, as ratios in one run.
 *
 *   npm run bench                  everything, as a table; many minutes, most of them for a million intents
 *   npm run bench -- --json        one JSON object on stdout, everything else on stderr
 *   npm run bench -- --check       exit 1 when a goal is missed
 *   npm run bench -- --quick       shows that every figure comes out, and no more
 *   npm run bench -- --intents N   another size of the full ledger, whose goals then count as missed
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitCodes } from '../harness/model/errors.ts';
import { optimizeLate } from '../harness/trial/optimize-late.ts';
import { usualWorkers } from '../harness/trial/usual-workers.ts';
import { isMain, loadBuiltIn, readWholeNumber, runScript } from './bench/command-line.ts';
import { judgeGoals } from './bench/goals.ts';
import { fullAmounts, measure, quickAmounts } from './bench/measure.ts';
import { renderReport } from './bench/render.ts';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      intents: { type: 'string' },
      workers: { type: 'string', default: String(usualWorkers(availableParallelism())) },
      seed: { type: 'string', default: '1' },
    },
  });
  const amounts = values.quick ? quickAmounts : fullAmounts;
  const intents = values.intents ?? String(amounts.intents);
  const workers = readWholeNumber('--workers', values.workers, { least: 1, most: 256 });
  const seed = readWholeNumber('--seed', values.seed, { least: 0, most: 0xffff_ffff });
  optimizeLate();
  const removeFolder = keepTemporaryFilesTogether();
  const report = await measure({
    ...(await loadBuiltIn()),
    amounts: {
      ...amounts,
      intents: readWholeNumber('--intents', intents, { least: 1, most: 100_000_000 }),
    },
    quick: values.quick,
    workers,
    seed,
    note: (text) => process.stderr.write(`${text}\n`),
  }).finally(removeFolder);
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${renderReport(report)}\n`);
  const allMet = judgeGoals(report).every(({ met }) => met);
  return values.check && !allMet ? exitCodes.unmet : exitCodes.met;
}

/** A full ledger is gigabytes: it goes also when the bench is interrupted. */
function keepTemporaryFilesTogether(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-bench-'));
  process.env.TMPDIR = folder;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      endChildren();
      remove();
      process.exit(exitCodes.inconclusive);
    });
  }
  return remove;
}

/** A subject that is just starting would make its ledger's folder again. */
function endChildren(): void {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1');
  for (const pid of children.split(' ').filter((text) => text !== '')) {
    process.kill(Number(pid), 'SIGKILL');
  }
  // They end within milliseconds, and nothing here may wait for events any more.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}

if (isMain(import.meta.url)) await runScript(main);

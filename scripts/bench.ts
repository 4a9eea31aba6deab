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
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { exitCodes } from '../harness/model/errors.ts';
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
      workers: { type: 'string', default: String(availableParallelism()) },
      seed: { type: 'string', default: '1' },
    },
  });
  const amounts = values.quick ? quickAmounts : fullAmounts;
  const intents = values.intents ?? String(amounts.intents);
  const report = await measure({
    ...(await loadBuiltIn()),
    amounts: {
      ...amounts,
      intents: readWholeNumber('--intents', intents, { least: 1, most: 100_000_000 }),
    },
    quick: values.quick,
    workers: readWholeNumber('--workers', values.workers, { least: 1, most: 256 }),
    seed: readWholeNumber('--seed', values.seed, { least: 0, most: 0xffff_ffff }),
    note: (text) => process.stderr.write(`${text}\n`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${renderReport(report)}\n`);
  const allMet = judgeGoals(report).every(({ met }) => met);
  return values.check && !allMet ? exitCodes.unmet : exitCodes.met;
}

if (isMain(import.meta.url)) await runScript(main);

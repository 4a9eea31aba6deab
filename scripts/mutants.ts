/**
 * Mutates the reference gate, one step at a time, and shows what notices.
 *
 *   npm run mutants                       all of them; writes results/mutants.md
 *   npm run mutants -- --only recovery.ts   those whose id holds the text; writes nothing
 *   npm run mutants -- --list             their ids
 *
 * Exit codes: 0 every mutant is shown, or excused with a reason, and few are · 1 one survives that is
 * not · 2 interrupted · 64 wrong usage · 70 a fault of its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exitCodes, UsageError } from '../harness/model/errors.ts';
import type { DeclaredTarget } from '../harness/plan/catalogue-entry.ts';
import { usualWorkers } from '../harness/trial/usual-workers.ts';
import {
  isMain,
  listenForSignals,
  loadBuiltIn,
  readWholeNumber,
  runScript,
} from './bench/command-line.ts';
import { excused } from './mutants/excused.ts';
import { edgeMutants, guardMutants, type Mutant, statesFile } from './mutants/mutate.ts';
import {
  isGood,
  type Judged,
  renderPage,
  renderText,
  type Shown,
  summarize,
} from './mutants/report.ts';
import { showByCells, showByTests } from './mutants/show.ts';
import { MutatedTree, mutatedFolder } from './mutants/tree.ts';

/** Where recovery and the reconciler stand. */
const guardedFiles = [
  'recovery.ts',
  'means.ts',
  'look.ts',
  'look-time.ts',
  'ask-service.ts',
  'judge-answer.ts',
  'surface.ts',
] as const;
const pagePath = 'results/mutants.md';
/** Copies of the repository in which tests run side by side. */
const trees = 2;
const seedCount = 2 ** 32;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      list: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
    },
  });
  const seed = readWholeNumber('--seed', values.seed, { least: 0, most: seedCount - 1 });
  const repository = resolve('.');
  const mutants = makeMutants(repository).filter(({ id }) => id.includes(values.only ?? ''));
  if (mutants.length === 0) throw new UsageError(`--only: no mutant's id holds "${values.only}"`);
  if (values.list) {
    process.stdout.write(`${mutants.map(({ id }) => id).join('\n')}\n`);
    return exitCodes.met;
  }
  const stop = listenForSignals();
  const judged = await judgeAll(repository, mutants, { seed, signal: stop.signal }).catch(
    (error: unknown) => {
      // What was under way was ended, and says nothing.
      if (stop.signal.aborted) return [];
      throw error;
    },
  );
  if (stop.signal.aborted) return exitCodes.inconclusive;
  const ofThese = values.only === undefined ? excused : onlyOf(excused, mutants);
  const summary = summarize(judged, ofThese);
  process.stdout.write(renderText(summary));
  if (values.only === undefined) writeFileSync(pagePath, renderPage(judged, summary));
  return isGood(summary) ? exitCodes.met : exitCodes.unmet;
}

function makeMutants(repository: string): readonly Mutant[] {
  const read = (file: string) => readFileSync(join(repository, mutatedFolder, file), 'utf8');
  return [
    ...edgeMutants(read(statesFile)),
    ...guardedFiles.flatMap((file) => guardMutants(file, read(file))),
  ];
}

interface Judging {
  readonly seed: number;
  readonly signal: AbortSignal;
}

async function judgeAll(
  repository: string,
  mutants: readonly Mutant[],
  judging: Judging,
): Promise<readonly Judged[]> {
  const copies = Array.from({ length: trees }, () => new MutatedTree(repository));
  const note = (text: string) => process.stderr.write(`${text}\n`);
  try {
    const [tree] = copies;
    if (tree === undefined) throw new Error('expected a copy of the repository');
    const { targets } = (await loadBuiltIn()).parts;
    await assertSoundHolds(tree, targets, judging);
    const shown = new Map<Mutant, Shown>();
    for (const mutant of mutants.filter(({ kind }) => kind !== 'edge-added')) {
      if (judging.signal.aborted) return [];
      const cell = await tree.with(mutant, () => showByCells({ ...given(targets, judging), tree }));
      if (cell !== null) shown.set(mutant, { by: 'cell', ...cell });
      note(`${mutant.id}: ${cell === null ? 'no cell shows it' : cell.findings.join(', ')}`);
    }
    const left = mutants.filter((mutant) => !shown.has(mutant));
    const total = left.length;
    const work = async (copy: MutatedTree) => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const mutant = next;
        const files =
          mutant.kind === 'edge-added' ? [`${mutatedFolder}/states.test.ts`] : [mutatedFolder];
        const isShown = await copy.with(mutant, () => showByTests(copy, files, judging.signal));
        shown.set(mutant, { by: isShown ? 'test' : 'nothing' });
        if (!isShown) note(`${mutant.id}: no test shows it`);
        if (left.length % 20 === 0) note(`tests: ${total - left.length} of ${total}`);
      }
    };
    await Promise.all(copies.map(work));
    return mutants.map((mutant) => ({ mutant, shown: shown.get(mutant) ?? { by: 'nothing' } }));
  } finally {
    for (const copy of copies) copy.remove();
  }
}

/** What condemns the sound gate shows nothing of a mutant. */
async function assertSoundHolds(
  tree: MutatedTree,
  targets: readonly DeclaredTarget[],
  judging: Judging,
): Promise<void> {
  const condemned = await showByCells({ ...given(targets, judging), tree });
  if (condemned !== null) {
    throw new Error(
      `the gate as it stands is condemned in ${condemned.cell}: ${condemned.findings.join(', ')}`,
    );
  }
  if (await showByTests(tree, [mutatedFolder], judging.signal)) {
    throw new Error('the tests of the gate as it stands fail; mend them first');
  }
}

function given(targets: readonly DeclaredTarget[], { seed, signal }: Judging) {
  return { targets, seed, signal, workers: usualWorkers(availableParallelism()) };
}

function onlyOf(
  reasons: Readonly<Record<string, string>>,
  mutants: readonly Mutant[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(reasons).filter(([id]) => mutants.some((mutant) => mutant.id === id)),
  );
}

if (isMain(import.meta.url)) await runScript(main);

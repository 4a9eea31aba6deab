import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparisonSchema } from '../model/comparison.ts';
import type { TrialRecord } from '../model/results.ts';
import { formatResults } from '../results/store.ts';
import {
  sampleCondemned,
  sampleNotRun,
  sampleRecord,
  sampleResults,
} from '../results/testing/sample.ts';
import { runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();
const both = [sampleRecord(), sampleCondemned()];

/** A working folder whose `results/comparison/chaos.json` holds these records. */
function folderWith(records: readonly TrialRecord[]): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'results/comparison'), { recursive: true });
  const path = join(folder, 'results/comparison/chaos.json');
  writeFileSync(path, formatResults(sampleResults(records, { blindSpots: [] })));
  return folder;
}

describe('killpoint compare', () => {
  it('writes the comparison beside the folder of its matrix, and sums it up', async () => {
    const folder = folderWith(both);
    const run = await runCli(folder, ['compare']);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.printed).toMatch(/naive +│ stripe\.keyed │ 1 +│ 0 /);
    expect(run.noted).toContain('results/comparison.md, results/comparison.json');
    const page = readFileSync(join(folder, 'results/comparison.md'), 'utf8');
    expect(page).toContain('npx killpoint compare results/comparison\n');
    const text = readFileSync(join(folder, 'results/comparison.json'), 'utf8');
    expect(comparisonSchema.parse(JSON.parse(text))).toMatchObject({
      source: 'results/comparison',
    });
  });

  it('reads a file as well, and writes where it is told', async () => {
    const folder = folderWith(both);
    const source = 'results/comparison/chaos.json';
    expect(await runCli(folder, ['compare', source, '--out', 'mine'])).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(join(folder, 'mine.md'))).toBe(true);
    expect(existsSync(join(folder, 'results/comparison.md'))).toBe(false);
  });

  it('exits as the run did: 1 for a trial that was not as expected, 2 for one that did not run', async () => {
    const unmet = [sampleRecord(), sampleCondemned({ meetsExpectation: false })];
    const run = await runCli(folderWith(unmet), ['compare']);
    expect(run.exitCode).toBe(1);
    expect(run.printed).toContain('1 trial in it did not meet the expectation');
    const notRun = [...both, sampleNotRun({ id: sampleRecord().id.replace(/1$/, '2') })];
    expect((await runCli(folderWith(notRun), ['compare'])).exitCode).toBe(2);
  });

  it('exits 64 where there is nothing to compare or nothing to read', async () => {
    const alone = await runCli(folderWith([sampleRecord()]), ['compare']);
    expect(alone.exitCode).toBe(64);
    expect(alone.noted).toContain('nothing to compare');
    expect((await runCli(newFolder(), ['compare'])).exitCode).toBe(64);
    expect((await runCli(newFolder(), ['compare', 'none.json'])).exitCode).toBe(64);
  });

  it('exits 64 for a name with an ending and for a place that can’t be written', async () => {
    const folder = folderWith(both);
    for (const out of ['mine.md', 'mine/', '']) {
      expect((await runCli(folder, ['compare', '--out', out])).exitCode).toBe(64);
    }
    const nowhere = await runCli(folder, ['compare', '--out', 'no/such/place']);
    expect(nowhere.exitCode).toBe(64);
    expect(nowhere.noted).toContain('--out');
  });
});

describe('a matrix that tells a story', () => {
  it('is told in the run’s tables, with the amounts the journals hold', async () => {
    const folder = newFolder();
    const matrix = {
      name: 'told',
      title: 'A customer paid $100',
      seed: 3,
      slices: [
        {
          chapter: { title: 'The crash', tells: 'It dies, and $20 are asked for again.' },
          gates: ['reference', 'naive'],
          targets: ['stripe.story'],
          kills: ['during_call:now'],
          faults: ['none'],
          worlds: ['none'],
          callers: ['same-again'],
          trialsPerCell: 1,
        },
      ],
      exclusions: [],
      cannotMeet: 0,
    };
    writeFileSync(join(folder, 'told.json'), JSON.stringify(matrix));
    expect(await runCli(folder, ['run', './told.json'])).toMatchObject({ exitCode: 0 });
    const page = readFileSync(join(folder, 'results/told/chaos.md'), 'utf8');
    expect(page).toContain('| reference | $20; says it happened | holds |');
    expect(page).toContain('| naive | $40; says it happened | **two-effects**');
    const judged = await runCli(folder, ['judge', 'results/told']);
    expect(judged.printed).toContain('0 differences');
  });
});

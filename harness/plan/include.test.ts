/** Matrices that include others: which files, which cells, which seeds, and whose exclusions. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import type { Matrix } from '../model/matrix.ts';
import { entriesOf } from '../results/subjects.ts';
import { sampleGates, sampleTargets } from '../results/testing/sample.ts';
import { assertSubjectsKnown, loadMatrix, parseMatrix } from './matrix-file.ts';
import { expandMatrix } from './plan.ts';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-include-'));
const matricesFolder = join(folder, 'package');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entries = entriesOf({ gates: sampleGates, targets: sampleTargets });
const axes = {
  gates: ['reference'],
  targets: ['stripe.keyed'],
  faults: ['none'],
  worlds: ['none'],
};
const kill = (...kills: string[]) => ({
  ...axes,
  kills,
  callers: ['same-again'],
  trialsPerCell: 1,
});
const idOf = (point: string, trial: number) =>
  `reference/stripe.keyed/${point}/none/none/same-again/${trial}`;

function write(path: string, changes: Record<string, unknown>): void {
  const whole = { title: 'A part', seed: 1, slices: [], exclusions: [], cannotMeet: 0, ...changes };
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(whole));
}

const load = (reference: string) =>
  loadMatrix({ reference, matricesFolder, workingFolder: folder });

async function expand(reference: string, seed?: number) {
  const matrix = await load(reference);
  return expandMatrix({ matrix, ...entries, ...(seed === undefined ? {} : { seed }) });
}

async function refusal(reference: string): Promise<string> {
  try {
    await load(reference);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('expected a UsageError, and the matrix was loaded');
}

beforeAll(() => {
  const twice = { ...kill('before_wal', 'during_call:now'), trialsPerCell: 2 };
  write('package/first.json', { name: 'first', seed: 5, slices: [twice] });
  write('package/second.json', {
    name: 'second',
    seed: 6,
    slices: [kill('during_call:now', 'during_call:later', 'after_call_before_commit')],
    exclusions: [{ match: 'reference/stripe.keyed/during_call', reason: 'slow', link: 'x' }],
  });
});

describe('a matrix that includes others', () => {
  it('holds their cells in order and then its own, each once, as the first that has it says', async () => {
    const own = [kill('before_wal', 'after_commit_before_ack')];
    write('mine/all.json', {
      name: 'all',
      include: ['first', '../package/second.json'],
      slices: own,
    });
    const plan = await expand('mine/all.json');
    expect(plan.trials.map(({ id }) => id)).toEqual([
      idOf('before_wal', 1),
      idOf('before_wal', 2),
      // The second leaves it out, and the first has it.
      idOf('during_call:now', 1),
      idOf('during_call:now', 2),
      idOf('after_call_before_commit', 1),
      idOf('after_commit_before_ack', 1),
    ]);
    expect(plan.excluded.map(({ cell, kind }) => [cell.kill, kind])).toEqual([
      ['during_call:later', 'on-purpose'],
    ]);
  });
  it('runs with its own seed, and gives a trial the seed it has where that run’s seed is the same', async () => {
    write('mine/seeded.json', { name: 'seeded', seed: 9, include: ['first', 'second'] });
    expect((await expand('mine/seeded.json')).seed).toBe(9);
    const first = await expand('first');
    expect((await expand('mine/seeded.json', 5)).trials.slice(0, 4)).toEqual(first.trials);
    expect((await expand('mine/seeded.json')).trials[0]?.seed).not.toBe(first.trials[0]?.seed);
  });
  it('may include one that includes others, and one twice', async () => {
    write('mine/outer.json', { name: 'outer', include: ['./inner.json', 'first', 'second'] });
    write('mine/inner.json', { name: 'inner', include: ['first'] });
    expect((await expand('mine/outer.json')).trials).toHaveLength(5);
  });
  it('pins the cells that cannot meet their fault over all of them', async () => {
    const unmet = { ...kill('before_wal'), faults: ['reply-lost@first-send'] };
    write('mine/unmet.json', { name: 'unmet', slices: [unmet], cannotMeet: 1 });
    write('mine/pinned.json', { name: 'pinned', include: ['first', './unmet.json'] });
    await expect(expand('mine/pinned.json')).rejects.toThrow(
      /matrix pinned: it pins 0 .* set "cannotMeet": 1/,
    );
  });
  it('names the file of a gate nobody knows', async () => {
    const matrix = await load('mine/seeded.json');
    const known = { gates: [{ name: 'naive' }], targets: [{ name: 'stripe.keyed' }] };
    expect(() => assertSubjectsKnown(matrix, known)).toThrow(
      /package\/first\.json does not fit:.*unknown gate "reference"; known: naive/s,
    );
  });
});

describe('a matrix is refused', () => {
  it('when it includes itself, with the way round', async () => {
    write('mine/a.json', { name: 'a', include: ['./b.json'] });
    write('mine/b.json', { name: 'b', include: ['first', './a.json'] });
    expect(await refusal('mine/a.json')).toMatch(
      /in no circle, got: .*\/a\.json includes .*\/b\.json includes .*\/a\.json; take one/,
    );
  });
  it('when it includes a name nobody knows, with the known ones', async () => {
    write('mine/unknown.json', { name: 'unknown', include: ['frist'] });
    expect(await refusal('mine/unknown.json')).toMatch(
      /mine\/unknown\.json includes .*unknown matrix "frist"; known: first, second/,
    );
  });
  it('when it includes a file that is not there, with its path', async () => {
    write('mine/gone.json', { name: 'gone', include: ['./nowhere.json'] });
    expect(await refusal('mine/gone.json')).toContain(join(folder, 'mine/nowhere.json'));
  });
  it('with neither slices nor others', async () => {
    write('mine/empty.json', { name: 'empty' });
    expect(await refusal('mine/empty.json')).toContain('expected at least one slice, or other');
  });
  it('where only itself was given to be planned', () => {
    const text = JSON.stringify({
      name: 'alone',
      title: 'Alone',
      seed: 1,
      include: ['first'],
      slices: [],
      exclusions: [],
      cannotMeet: 0,
    });
    const matrix: Matrix = parseMatrix(text, 'alone.json');
    expect(() => expandMatrix({ matrix, ...entries })).toThrow(/includes first, .* loadMatrix/);
  });
});

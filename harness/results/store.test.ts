import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { exitCodeOf } from './exit-code.ts';
import { historyPath } from './history-path.ts';
import { beginRun, findResults, formatResults, readResults, writeResults } from './store.ts';
import { sampleCondemned, sampleNotRun, sampleRecord, sampleResults } from './testing/sample.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killpoint-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const green = {
  results: sampleResults([sampleRecord(), sampleCondemned()]),
  markdown: '# green\n',
};
const pending = {
  results: sampleResults([sampleNotRun()], { finished: false }),
  markdown: '# pending\n',
};

describe('stored results', () => {
  it('come back as they were written', async () => {
    await writeResults(folder, green);
    expect(await readResults(folder)).toEqual(green.results);
  });

  it('hold one trial a line', async () => {
    await writeResults(folder, green);
    const lines = readFileSync(join(folder, 'chaos.json'), 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('"id":'))).toHaveLength(2);
  });

  it('leave no temporary file behind', async () => {
    await writeResults(folder, green);
    expect(readdirSync(folder).sort()).toEqual(['chaos.json', 'chaos.md']);
  });

  it('of an older green run are gone once a run has begun', async () => {
    await writeResults(folder, green);
    await beginRun(folder, pending);
    expect(exitCodeOf(await readResults(folder))).toBe(2);
    expect(readFileSync(join(folder, 'chaos.md'), 'utf8')).toBe('# pending\n');
  });

  it('lose the histories of an older run, and nothing else in the folder', async () => {
    const old = historyPath(folder, 'a/b');
    await beginRun(folder, pending);
    writeFileSync(old, '{}\n');
    mkdirSync(old.replace(/jsonl$/, 'evidence'));
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    await beginRun(folder, pending);
    expect(readdirSync(join(folder, 'histories'))).toEqual([]);
    expect(existsSync(join(folder, 'notes.txt'))).toBe(true);
  });

  it('that were cut in half never read as green', async () => {
    await writeResults(folder, green);
    const path = join(folder, 'chaos.json');
    const text = readFileSync(path, 'utf8');
    for (const length of [0, 1, Math.floor(text.length / 2), text.length - 3]) {
      writeFileSync(path, text.slice(0, length));
      await expect(readResults(folder)).rejects.toThrow(UsageError);
    }
  });

  it('of another format are refused with what does not fit', async () => {
    writeFileSync(join(folder, 'chaos.json'), '{"format":2}');
    await expect(readResults(folder)).rejects.toThrow(/format 1.*chaos\.json/);
  });

  it('that are not there are refused, or undefined where that is an answer', async () => {
    await expect(readResults(folder)).rejects.toThrow(/expected results at/);
    expect(await findResults(folder)).toBeUndefined();
  });

  it.each(['chaos.json', 'chaos.md'])(
    'are refused before a run where %s was made read-only, and stay as they were',
    async (file) => {
      await writeResults(folder, green);
      const before = readFileSync(join(folder, file), 'utf8');
      chmodSync(join(folder, file), 0o444);
      await expect(beginRun(folder, pending)).rejects.toThrow(UsageError);
      await expect(beginRun(folder, pending)).rejects.toThrow(/read-only.*--out/);
      expect(readFileSync(join(folder, file), 'utf8')).toBe(before);
    },
  );

  it('are refused before a run where a folder has the name of a file', async () => {
    mkdirSync(join(folder, 'chaos.json'));
    await expect(beginRun(folder, pending)).rejects.toThrow(/chaos\.json.*--out/);
  });

  it('with an id that says nothing are refused', async () => {
    const results = { ...green.results, trials: [sampleRecord({ id: 'a/b' })] };
    writeFileSync(join(folder, 'chaos.json'), formatResults(results));
    await expect(readResults(folder)).rejects.toThrow(UsageError);
    await expect(readResults(folder)).rejects.toThrow(/"a\/b": expected gate.*trials\[0\]\.id/s);
  });

  it.each(['/proc/killpoint', '/dev/null/killpoint'])(
    'are refused before a run where %s cannot be written',
    async (path) => {
      await expect(beginRun(path, pending)).rejects.toThrow(/can be written at .*--out/);
    },
  );
});

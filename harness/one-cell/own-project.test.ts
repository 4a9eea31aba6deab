/** What a user has: a project of their own, the package as it is installed, and Vitest. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const example = `${root}examples/rail-kit-payments`;
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The imports of the example, as they are written outside of this repository. */
function asInstalled(source: string): string {
  return source
    .replace('../../adapters/rail-kit/rail-kit.ts', 'killpoint/rail-kit')
    .replace('../../adapters/target.ts', 'killpoint/target');
}

function makeProject(test: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  made.push(folder);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'killpoint'));
  symlinkSync(`${root}node_modules/vitest`, join(folder, 'node_modules', 'vitest'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const file of ['target.ts', 'rail.ts']) {
    writeFileSync(join(folder, file), asInstalled(readFileSync(`${example}/${file}`, 'utf8')));
  }
  writeFileSync(join(folder, 'cell.test.ts'), test);
  return folder;
}

function runTests(folder: string) {
  const vitest = `${root}node_modules/vitest/vitest.mjs`;
  const args = [vitest, 'run', '--root', folder, '--testTimeout', '30000'];
  // A run inside a run must not take the outer one's variables for its own.
  return execa(process.execPath, args, {
    cwd: folder,
    extendEnv: false,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: tmpdir() },
    reject: false,
    all: true,
    timeout: 60_000,
  });
}

const test = (change: string) => `
import { expectHolds, runCell } from 'killpoint/vitest';
import { it } from 'vitest';
it('is done once', async () => {
  const result = await runCell('during_call:now/none/none/same-again', {
    target: { module: './target.ts', options: { clientTimeoutMs: 500 } },
    rail: { module: './rail.ts'${change} },
  });
  expectHolds(result);
});
`;

it('runs a cell of a target and a rail of one’s own, and leaves nothing there', async () => {
  const folder = makeProject(test(''));
  const before = readdirSync(folder).sort();
  const run = await runTests(folder);
  expect(run.all).toMatch(/1 passed/);
  expect(run.exitCode).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(before);
}, 60_000);

it('fails where a promise is broken, says so and keeps the history', async () => {
  const folder = makeProject(test(", export: 'createForgetful'"));
  const rail = join(folder, 'rail.ts');
  const forgetful = 'export const createForgetful = railOf({ ...payments, key: null });';
  writeFileSync(rail, `${readFileSync(rail, 'utf8')}\n${forgetful}\n`);
  const run = await runTests(folder);
  expect(run.all).toMatch(/expected every promise to be kept, and it broke two-effects/);
  expect(run.all).toMatch(/again: npx killpoint certify target \.\/target\.ts --rail \.\/rail\.ts/);
  expect(run.exitCode).toBe(1);
  expect(readdirSync(join(folder, 'results', 'last', 'histories'))).toEqual(
    expect.arrayContaining([expect.stringMatching(/\.jsonl$/)]),
  );
}, 60_000);

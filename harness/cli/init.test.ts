import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { repository, runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();

/** As `npm install` would leave it. */
function install(folder: string): void {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(repository, join(folder, 'node_modules', 'killpoint'));
  symlinkSync(`${repository}/node_modules/vitest`, join(folder, 'node_modules', 'vitest'));
}

describe('killpoint init target', () => {
  it('makes a target that is certified as neither, as it stands', async () => {
    const folder = newFolder();
    const made = await runCli(folder, ['init', 'target', 'my-orders']);
    expect(made.exitCode).toBe(0);
    expect(made.printed).toContain('cd my-orders && npm install && npm run certify');
    const project = join(folder, 'my-orders');
    expect(existsSync(join(project, '.github/workflows/certify.yml'))).toBe(true);
    const source = readFileSync(join(project, 'target.ts'), 'utf8');
    expect(source).toContain("name: 'my-orders'");
    expect(source).not.toMatch(/\bNAME\b/);
    install(project);
    const run = await runCli(project, [
      ...['certify', 'target', './target.ts', '--rail', './rail.ts'],
    ]);
    expect(run.exitCode, run.noted).toBe(0);
    expect(run.printed).toMatch(/^declared {2}neither\nproven {4}neither\n/);
  }, 180_000);

  it('makes a test that runs', async () => {
    const folder = newFolder();
    await runCli(folder, ['init', 'target', 'orders', '--dir', 'here']);
    const project = join(folder, 'here');
    install(project);
    const vitest = `${repository}/node_modules/vitest/vitest.mjs`;
    const run = await execa(process.execPath, [vitest, 'run', '--root', project], {
      cwd: project,
      extendEnv: false,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      reject: false,
      all: true,
      timeout: 60_000,
    });
    expect(run.all).toMatch(/1 passed/);
  }, 90_000);

  it.each([
    [
      'a folder that holds something',
      ['init', 'target', 'taken'],
      /is not there yet, or is empty.*nothing was written/,
    ],
    ['a name that is none', ['init', 'target', 'My Target'], /small letters, digits and dashes/],
  ] as const)('refuses %s', async (_what, argv, message) => {
    const folder = newFolder();
    mkdirSync(join(folder, 'taken/inside'), { recursive: true });
    const run = await runCli(folder, argv);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toMatch(message);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../results/exit-code.ts';
import { readResults } from '../results/store.ts';
import { repository } from './testing/cli.ts';

/** The command as it is installed; `npm test` builds it first. */
const entry = join(repository, 'dist/harness/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'killpoint-main-'));

beforeAll(() => {
  if (!existsSync(entry)) throw new Error(`expected ${entry}; run npm run build first`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  /** Resolves once stderr holds the text. */
  readonly noted: (text: string) => Promise<void>;
}

function start(...argv: readonly string[]): Started {
  const child = spawn(process.execPath, [entry, ...argv], { cwd: folder });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, stdout, stderr }));
  const noted = async (text: string) => {
    while (!stderr.includes(text)) await once(child.stderr, 'data');
  };
  return { child, ended, noted };
}

describe('the killpoint process', () => {
  it('exits 0 with its version and 64 without a command', async () => {
    expect(await start('--version').ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await start().ended).toMatchObject({ exitCode: 64 });
  });

  it('shows a wrong id without a stack trace', async () => {
    const { exitCode, stderr } = await start('run', 'a/b').ended;
    expect(exitCode).toBe(64);
    expect(stderr).toMatch(/^killpoint: "a\/b": expected gate/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops on %s with the list of what did not run, and exits 2',
    async (signal) => {
      const run = start('run', 'smoke', '--trials', '20', '--workers', '2', '--out', signal);
      await run.noted('at a time');
      // Long enough for trials to be under way, short against the whole run.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      run.child.kill(signal);
      const { exitCode, stdout } = await run.ended;
      expect(exitCode).toBe(2);
      expect(stdout).toContain('the run was interrupted');
      const results = await readResults(join(folder, signal));
      expect(results.finished).toBe(false);
      expect(results.counts.planned).toBe(500);
      expect(results.counts.notRun).toBeGreaterThan(0);
    },
  );

  it('killed by SIGKILL leaves results in which nothing has run', async () => {
    const run = start('run', 'smoke', '--trials', '20', '--out', 'killed');
    await run.noted('at a time');
    run.child.kill('SIGKILL');
    await run.ended;
    const results = await readResults(join(folder, 'killed'));
    expect(results.counts.notRun).toBe(500);
    expect(exitCodeOf(results)).toBe(2);
  });

  it('stays quiet when whoever reads its output has gone', async () => {
    const list = start('list', '--ids', '--trials', '500');
    list.child.stdout?.destroy();
    const { exitCode, stderr } = await list.ended;
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProcess } from './child-processes.ts';
import { repository } from './testing/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'killpoint-guard-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(course: string, env: NodeJS.ProcessEnv = {}) {
  const file = join(folder, course);
  const fixture = join(repository, 'harness/cli/fixtures/guarded.mjs');
  const guarded = spawn(process.execPath, [fixture, course, file], {
    env: { ...process.env, KILLPOINT_DEBUG: '', ...env },
  });
  let stdout = '';
  let stderr = '';
  guarded.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  guarded.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return {
    guarded,
    file,
    /** Resolves once the child runs. */
    childPid: async () => {
      while (!stdout.includes('\n')) await once(guarded.stdout, 'data');
      return Number(/child (\d+)/.exec(stdout)?.[1]);
    },
    noted: async (text: string) => {
      while (!stderr.includes(text)) await once(guarded.stderr, 'data');
    },
    ended: once(guarded, 'close').then(([exitCode]) => ({ exitCode, stderr })),
  };
}

/** A killed process is gone once it has been reaped, which is not its killer's business. */
async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (findProcess(pid) === undefined) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

describe('a guarded process', () => {
  it('leaves at the second signal, with what it started killed and what it made removed', async () => {
    const { guarded, file, childPid, noted, ended } = start('waits');
    const child = await childPid();
    guarded.kill('SIGINT');
    await noted('once more to leave at once');
    expect(guarded.exitCode).toBe(null);
    guarded.kill('SIGTERM');
    expect(await ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('SIGTERM') });
    expect(await isGone(child)).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it.each(['throws', 'rejects'])(
    'that %s where nobody catches it says so in one line, exits 70 and leaves nothing alive',
    async (course) => {
      const { file, childPid, ended } = start(course);
      const child = await childPid();
      const { exitCode, stderr } = await ended;
      expect(exitCode).toBe(70);
      expect(stderr).toMatch(/^killpoint: a fault of Killpoint itself: boom; .*\n$/);
      expect(await isGone(child)).toBe(true);
      expect(existsSync(file)).toBe(false);
    },
  );

  it('shows where it happened to whoever asks', async () => {
    const { exitCode, stderr } = await start('throws', { KILLPOINT_DEBUG: '1' }).ended;
    expect(exitCode).toBe(70);
    expect(stderr).toMatch(/boom\nin two lines\n\s+at /);
  });
});

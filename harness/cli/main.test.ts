import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
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
  return startIn({}, ...argv);
}

function startIn(env: NodeJS.ProcessEnv, ...argv: readonly string[]): Started {
  const child = spawn(process.execPath, [entry, ...argv], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
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

/** A temporary folder of the test's own, so that what is left in it can be seen. */
function ownTemporaryFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Whether signals are this process's own business yet; Node itself catches all of them but SIGHUP. */
function catchesSighup(pid: number | undefined): boolean {
  const [, mask = '0'] =
    /SigCgt:\s*([0-9a-f]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & 1n) !== 0n;
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
      const TMPDIR = ownTemporaryFolder(`tmp-${signal}`);
      const argv = ['run', 'smoke', '--trials', '20', '--workers', '2', '--out', signal];
      const run = startIn({ TMPDIR }, ...argv);
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
      expect(readdirSync(TMPDIR)).toEqual([]);
      expect(existsSync(join(folder, signal, 'run.lock'))).toBe(false);
    },
  );

  it('stopped while it is still being loaded has run nothing, exits 2 and says so', async () => {
    const run = start('run', 'smoke', '--out', 'early');
    await until(() => catchesSighup(run.child.pid));
    run.child.kill('SIGTERM');
    const { exitCode, stderr } = await run.ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain('SIGTERM: stopped before anything was run; results of earlier runs');
    expect(existsSync(join(folder, 'early'))).toBe(false);
  });

  it('stopped while it reads the catalogue leaves nothing in the temporary folder', async () => {
    const TMPDIR = ownTemporaryFolder('tmp-catalogue');
    const run = startIn({ TMPDIR }, 'run', 'smoke', '--out', 'early');
    await until(() => readdirSync(TMPDIR).length > 0);
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 2 });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it.each([[['list', '--ids']], [['judge', '--help']]])(
    '%j exits 70 with one line where its output can’t be written',
    async (argv) => {
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [entry, ...argv], {
        cwd: folder,
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      let stderr = '';
      child.stderr?.on('data', (chunk) => {
        stderr += chunk;
      });
      const [exitCode] = await once(child, 'close');
      expect(stderr).toMatch(/^killpoint: expected to write to stdout, got: ENOSPC.*\n$/);
      expect(exitCode).toBe(70);
    },
  );

  it('exits 64 with one line where its working folder is gone', async () => {
    const gone = ownTemporaryFolder('gone');
    const script = 'cd "$0" && rmdir "$0" && exec "$@"';
    const argv = ['-c', script, gone, process.execPath, entry, 'list'];
    const child = spawn('sh', argv, { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [exitCode] = await once(child, 'close');
    expect(stderr).toMatch(/^killpoint: expected a working folder, got one that is gone.*\n$/);
    expect(exitCode).toBe(64);
  });

  it('exits 64 and names TMPDIR where no temporary folder can be made', async () => {
    const TMPDIR = join(folder, 'not-there');
    const { exitCode, stderr } = await startIn({ TMPDIR }, 'run', 'smoke', '--out', 'x').ended;
    expect(exitCode).toBe(64);
    expect(stderr).toMatch(/^killpoint: expected a temporary folder .*not-there.*set TMPDIR/);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

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

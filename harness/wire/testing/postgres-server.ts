/**
 * A real Postgres server for tests of the wire, and drivers' connections to it. It asks nobody for a
 * password, so that a test can speak the protocol byte by byte.
 */
import { writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { AdminConnection } from '../../../adapters/postgres/admin.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../adapters/postgres/embedded.ts';
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

export async function startPostgres(): Promise<PostgresServer> {
  const server = await startEmbeddedServer();
  const { host, port } = server.address;
  const endpoint: Endpoint = { protocol: 'postgres', host, port };
  try {
    await trustEverybody(server);
    await untilTrusted(endpoint);
  } catch (error) {
    await server.close();
    throw error;
  }
  return { endpoint, close: server.close };
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

async function trustEverybody({ address, folder }: EmbeddedServer): Promise<void> {
  await writeFile(join(folder, 'data', 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  const admin = new AdminConnection(address);
  try {
    await admin.run('CREATE ROLE postgres SUPERUSER LOGIN; SELECT pg_reload_conf()');
  } finally {
    await admin.close();
  }
}

/** Those who come before the server has read the new rules are refused. */
async function untilTrusted(endpoint: Endpoint, triesLeft = 500): Promise<void> {
  try {
    const { socket } = await openSession(endpoint);
    socket.destroy();
  } catch (error) {
    if (triesLeft === 0) throw error;
    await untilTrusted(endpoint, triesLeft - 1);
  }
}

/**
 * A relay between target and server that can do at one point what a network does. In: the endpoint of
 * the server, and what happens to a cycle. Out: an endpoint for the target, and the texts it sent.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Endpoint } from '../../target.ts';

export interface Passage {
  readonly client: Socket;
  readonly server: Socket;
  /** True: what the server says goes no further than `heard`. */
  silence: boolean;
  heard: (bytes: Buffer) => void;
}

export interface Relay {
  readonly endpoint: Endpoint;
  /** The SQL of every cycle, oldest first. */
  readonly texts: string[];
}

/** `meet` is told of every cycle, and says whether it is passed on as it came. */
export async function openRelay(
  { host, port }: Endpoint,
  meet: (sql: string, passage: Passage, bytes: Buffer) => boolean = () => true,
): Promise<Relay> {
  const sockets = new Set<Socket>();
  const texts: string[] = [];
  const listener = createServer((client) => {
    const server = connect(port, host);
    const passage: Passage = { client, server, silence: false, heard: () => undefined };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    server.on('data', (bytes) => {
      if (passage.silence) passage.heard(bytes);
      else client.write(bytes);
    });
    client.on('data', (bytes) => {
      const sql = sqlOf(bytes);
      if (sql !== null) texts.push(sql);
      if (sql === null || meet(sql, passage, bytes)) server.write(bytes);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });
  const { port: own } = listener.address() as AddressInfo;
  return { endpoint: { protocol: 'postgres', host: '127.0.0.1', port: own }, texts };
}

/** Query (Q) and Parse (P) carry SQL; on the loopback a small cycle arrives as one chunk. */
function sqlOf(bytes: Buffer): string | null {
  const type = String.fromCharCode(bytes[0] ?? 0);
  if (type === 'Q') return bytes.toString('utf8', 5, bytes.indexOf(0, 5));
  if (type !== 'P') return null;
  const nameEnd = bytes.indexOf(0, 5);
  return bytes.toString('utf8', nameEnd + 1, bytes.indexOf(0, nameEnd + 1));
}

/** A Query message, as a client would write it. */
export function queryMessage(sql: string): Buffer {
  const body = Buffer.from(`${sql}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The server is ready for the next query: the last message of every reply. */
export function endsReply(bytes: Buffer): boolean {
  return bytes.length >= 6 && bytes.readUInt8(bytes.length - 6) === 'Z'.charCodeAt(0);
}

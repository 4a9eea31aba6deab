/**
 * What the tests of this folder put between the target and the stand-in: real sockets on the loopback
 * interface. Everything opened is closed when the test that opened it ends.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EffectTarget, Endpoint, FenceResult, JsonObject, QueryResult } from '../../target.ts';
import { createRail, type LedgeredRailNamespace } from '../rail.ts';
import { createTarget } from '../target.ts';

export async function openNamespace(options: JsonObject = {}): Promise<LedgeredRailNamespace> {
  const rail = await createRail({ options });
  onTestFinished(() => rail.close());
  return rail.openNamespace('test');
}

export interface LookingTarget extends EffectTarget {
  query(call: { readonly key: string; readonly request: JsonObject }): Promise<QueryResult>;
  fence(call: { readonly key: string; readonly request: JsonObject }): Promise<FenceResult>;
}

type Reached = Pick<LedgeredRailNamespace, 'endpoint' | 'credentials'>;

export function openFenceTarget(reached: Reached, options: JsonObject = {}): LookingTarget {
  const target = open(reached, { variant: 'fence', lagMs: 0, ...options });
  const { query, fence } = target;
  if (query === undefined || fence === undefined) {
    throw new Error('expected a target with lookup and fence');
  }
  return { ...target, query, fence };
}

export function openMarkedTarget(reached: Reached, options: JsonObject = {}): EffectTarget {
  return open(reached, { variant: 'marked', ...options });
}

function open({ endpoint, credentials }: Reached, options: JsonObject): EffectTarget {
  const target = createTarget({
    endpoint,
    credentials,
    options: { clientTimeoutMs: 5_000, ...options },
    now: Date.now,
  });
  onTestFinished(() => target.close?.());
  return target;
}

export interface RawServer {
  readonly endpoint: Endpoint;
  readonly credentials: JsonObject;
  /** Everything that arrived, one text a connection. */
  readonly received: string[];
}

/** A server that is told of every chunk and does to the socket what it likes; `text` is all that came on it. */
export async function openRawServer(
  onData: (socket: Socket, text: string) => void,
): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const index = received.push('') - 1;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received[index] += chunk.toString('latin1');
      onData(socket, received[index] ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const endpoint: Endpoint = { protocol: 'http', host: '127.0.0.1', port };
  return { endpoint, credentials: { token: 'raw-token' }, received };
}

/** Answers every whole request with the next of these texts, the last one again and again. */
export function openAnsweringServer(...replies: readonly string[]): Promise<RawServer> {
  let count = 0;
  return openRawServer((socket, text) => {
    const headEnd = text.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (headEnd === -1 || text.length < headEnd + 4 + length) return;
    socket.end(replies[Math.min(count, replies.length - 1)] ?? '');
    count += 1;
  });
}

export function httpReply(status: number, body: JsonObject | string): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

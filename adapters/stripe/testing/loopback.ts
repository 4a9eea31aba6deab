/**
 * What the tests of this folder put between the SDK and the stand-in: real sockets on the loopback
 * interface. Everything opened is closed when the test that opened it ends.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import Stripe from 'stripe';
import { onTestFinished } from 'vitest';
import type { EffectTarget, Endpoint, JsonObject } from '../../target.ts';
import { createRail, type StripeRailNamespace } from '../rail.ts';
import { createTarget } from '../target.ts';

export async function openNamespace(options: JsonObject = {}): Promise<StripeRailNamespace> {
  const rail = await createRail({ options });
  onTestFinished(() => rail.close());
  return rail.openNamespace('test');
}

/** The official SDK with nothing but its retries turned off. */
export function openSdk(
  { endpoint }: Pick<StripeRailNamespace, 'endpoint'>,
  credentials: JsonObject,
): Stripe {
  return new Stripe(String(credentials.apiKey), {
    protocol: 'http',
    host: endpoint.host,
    port: endpoint.port,
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/** What the SDK threw; throws itself when that is nothing, or nothing of the SDK's. */
export async function failureOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw new Error(`expected a StripeError, came ${String(error)}`);
}

export function openTarget(
  { endpoint, credentials }: Pick<StripeRailNamespace, 'endpoint' | 'credentials'>,
  options: JsonObject = {},
): EffectTarget {
  const target = createTarget({
    endpoint,
    credentials,
    options: { variant: 'keyed', clientTimeoutMs: 5_000, ...options },
    now: Date.now,
  });
  onTestFinished(() => target.close?.());
  return target;
}

export interface RawServer {
  readonly endpoint: Endpoint;
  readonly credentials: JsonObject;
  /** Whole requests that arrived, as text. */
  readonly requests: readonly string[];
}

/** A server that waits for each whole request and then does to the socket what it is told. */
export async function openRawServer(reply: (socket: Socket) => void): Promise<RawServer> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!isWholeRequest(received)) return;
      requests.push(received);
      received = '';
      reply(socket);
    });
  });
  const port = await listen(server);
  const endpoint: Endpoint = { protocol: 'http', host: '127.0.0.1', port };
  return { endpoint, credentials: { apiKey: 'sk_test_raw' }, requests };
}

export function httpReply(status: number, body: string, headers = ''): string {
  return `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

/** Hands every request on, and resets the caller's connection when the first byte of the reply comes. */
export async function openReplyLosingProxy(to: Endpoint): Promise<Endpoint> {
  const server = createServer((socket) => {
    const upstream = connect(to.port, to.host);
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream);
    upstream.once('data', () => {
      socket.resetAndDestroy();
      upstream.destroy();
    });
  });
  return { protocol: 'http', host: '127.0.0.1', port: await listen(server) };
}

/** The same service behind TLS, under an authority nobody else knows. */
export async function openTlsProxy(to: Endpoint): Promise<Required<Endpoint>> {
  const authority = await generate([{ name: 'commonName', value: 'throw-away authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const server = createTlsServer({ key: leaf.private, cert: leaf.cert }, (socket) => {
    const upstream = connect(to.port, to.host);
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  return {
    protocol: 'https',
    host: '127.0.0.1',
    port: await listen(server),
    caPem: authority.cert,
  };
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

function isWholeRequest(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return false;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
  return text.length >= headEnd + 4 + length;
}

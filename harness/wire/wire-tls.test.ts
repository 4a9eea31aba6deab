/** A service behind TLS: what it sees of the wire, whom the wire believes, and how connections end. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { type GenerateResult, generate } from 'selfsigned';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../adapters/target.ts';
import {
  decide,
  post,
  RawClient,
  untouched,
  type WatchedWire,
  watchWire,
} from './testing/little-service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let pems: GenerateResult;
beforeAll(async () => {
  pems = await certificateFor('localhost');
});

function certificateFor(name: string): Promise<GenerateResult> {
  return generate([{ name: 'commonName', value: name }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
}

interface SecureService {
  readonly endpoint: Endpoint;
  /** What each connection was opened with as its server's name, and every byte that came on it. */
  readonly connections: readonly { readonly name: unknown; text: string }[];
}

/** Answers every bodiless request on its connection, and ends the connection where it is asked to. */
async function startSecureService(certificate: GenerateResult): Promise<SecureService> {
  const connections: { name: unknown; text: string }[] = [];
  const sockets = new Set<TLSSocket>();
  const server = createServer({ key: certificate.private, cert: certificate.cert }, (socket) => {
    const connection = { name: socket.servername, text: '' };
    connections.push(connection);
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      connection.text += chunk.toString('latin1');
      if (!connection.text.endsWith('\r\n\r\n')) return;
      const closes = connection.text.includes('Connection: close');
      socket.write(
        `HTTP/1.1 200 OK\r\n${closes ? 'Connection: close\r\n' : ''}Content-Length: 4\r\n\r\ndone`,
      );
      if (closes) socket.end();
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { protocol: 'https', host: 'localhost', port, caPem: certificate.cert },
    connections,
  };
}

async function watch(upstream: Endpoint): Promise<WatchedWire> {
  const watched = await watchWire(upstream, decide(untouched));
  closers.push(() => watched.wire.close());
  return watched;
}

const message = (fields = '') => `GET /a HTTP/1.1\r\nHost: 127.0.0.1:1\r\n${fields}X-odd:y\r\n\r\n`;

describe('a service behind TLS', () => {
  it('is called by its name, and kept connections carry many requests', async () => {
    const service = await startSecureService(pems);
    const { endpoint, types, wire } = await watch(service.endpoint);
    expect(endpoint).toMatchObject({ protocol: 'http', host: '127.0.0.1' });
    const client = new RawClient(endpoint);
    for (const _round of [1, 2]) {
      client.received = Buffer.alloc(0);
      client.socket.write(message());
      await client.reads('done');
      expect(await wire.whenQuiet(1000)).toBe(true);
    }
    const host = `localhost:${service.endpoint.port}`;
    expect(service.connections).toEqual([
      { name: 'localhost', text: message().replace('127.0.0.1:1', host).repeat(2) },
    ]);
    expect(types().filter((type) => type === 'delivered')).toHaveLength(2);
    expect(client.socket.destroyed).toBe(false);
    wire.resetIdle();
    await client.closed();
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
  });

  it('ends its connection where it is asked to, and the sender’s ends with it', async () => {
    const service = await startSecureService(pems);
    const { endpoint, types, wire } = await watch(service.endpoint);
    const client = new RawClient(endpoint);
    client.socket.write(message('Connection: close\r\n'));
    await once(client.socket, 'end');
    expect(client.text).toMatch(/^HTTP\/1.1 200 OK\r\nConnection: close\r\n.*done$/s);
    await client.closed();
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
    expect(types().at(-1)).toBe('delivered');
  });

  it.each([
    [
      'signed by nobody known',
      async (right: Endpoint) => ({ ...right, caPem: (await generate()).cert }),
    ],
    ['for another name', async (right: Endpoint) => ({ ...right, host: '127.0.0.1' })],
  ])(
    'that shows a certificate %s gets no byte, breaks for the sender, and is named',
    async (_name, wrong) => {
      const service = await startSecureService(pems);
      const { endpoint, events, types } = await watch(await wrong(service.endpoint));
      expect(await post(endpoint, 'a')).toEqual({ kind: 'broken', code: 'ECONNRESET' });
      await expect
        .poll(types)
        .toEqual(['request-began', 'request-whole', 'dropped', 'harness-error']);
      const told = events.find((event) => event.type === 'harness-error');
      expect(told).toMatchObject({ code: 'rail-untrusted' });
      expect(JSON.stringify(told)).toMatch(
        /expected a certificate for .* check the endpoint's host and caPem/,
      );
      expect(service.connections.map(({ text }) => text).join('')).toBe('');
    },
  );
});

import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it } from 'vitest';
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

async function listen(server: Server, protocol: Endpoint['protocol'] = 'http'): Promise<Endpoint> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { protocol, host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

async function watch(upstream: Endpoint): Promise<WatchedWire> {
  const watched = await watchWire(upstream, decide(untouched));
  closers.push(() => watched.wire.close());
  return watched;
}

/** A service that says exactly what it is told to, once it has read so much. */
function scripted(
  script: readonly {
    readonly afterReading: string;
    readonly say: string;
    readonly end?: boolean;
  }[],
  read: string[] = [],
): Server {
  return createServer((socket) => {
    let heard = '';
    let next = 0;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      read[0] = heard;
      for (
        let line = script[next];
        line !== undefined && heard.includes(line.afterReading);
        line = script[next]
      ) {
        socket.write(line.say);
        if (line.end === true) socket.end();
        next += 1;
      }
    });
  });
}

describe('bytes on the wire', () => {
  it('are the same on both sides, odd spacing and chunks included', async () => {
    const request =
      'POST /x HTTP/1.1\r\nhOsT:  odd \r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nTrailer: t\r\n\r\n';
    const reply =
      'HTTP/1.1 200  Fine\r\nX-odd:v\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n';
    const read: string[] = [];
    const { endpoint } = await watch(
      await listen(scripted([{ afterReading: 'Trailer: t\r\n\r\n', say: reply }], read)),
    );
    const client = new RawClient(endpoint);
    for (const byte of request) client.socket.write(byte);
    await client.reads('0\r\n\r\n');
    expect(client.text).toBe(reply);
    expect(read).toEqual([request]);
    client.socket.destroy();
  });

  it('of a reply that lasts until the connection ends are delivered, and then it ends', async () => {
    const { endpoint, types } = await watch(
      await listen(
        scripted([
          { afterReading: '\r\n\r\n', say: 'HTTP/1.0 200 OK\r\n\r\nall of it', end: true },
        ]),
      ),
    );
    const client = new RawClient(endpoint);
    client.socket.write('GET / HTTP/1.0\r\n\r\n');
    await client.closed();
    expect(client.text).toBe('HTTP/1.0 200 OK\r\n\r\nall of it');
    expect(types()).toEqual([
      'request-began',
      'request-whole',
      'forwarded',
      'replied',
      'delivered',
    ]);
  });

  it('of a cut reply reach the sender and are never called a reply', async () => {
    const { endpoint, types } = await watch(
      await listen(
        scripted([
          {
            afterReading: '\r\n\r\n',
            say: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
            end: true,
          },
        ]),
      ),
    );
    const client = new RawClient(endpoint);
    client.socket.write('GET / HTTP/1.1\r\n\r\n');
    await client.closed();
    expect(client.text).toContain('half');
    expect(types()).toEqual(['request-began', 'request-whole', 'forwarded', 'dropped']);
  });

  it('of a reply that is no HTTP reach the sender, and no reply is recorded', async () => {
    const { endpoint, types } = await watch(
      await listen(
        scripted([{ afterReading: '\r\n\r\n', say: '<html>proxy login</html>', end: true }]),
      ),
    );
    const client = new RawClient(endpoint);
    client.socket.write('GET / HTTP/1.1\r\n\r\n');
    await client.closed();
    expect(client.text).toBe('<html>proxy login</html>');
    expect(types()).toEqual(['request-began', 'request-whole', 'forwarded', 'dropped']);
  });

  it('are asked for with one "100 Continue", whoever says it', async () => {
    const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    const service = scripted([
      { afterReading: '\r\n\r\n', say: 'HTTP/1.1 100 Continue\r\n\r\n' },
      { afterReading: 'body', say: reply },
    ]);
    const { endpoint } = await watch(await listen(service));
    const client = new RawClient(endpoint);
    client.socket.write('POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n');
    await client.reads('100 Continue');
    client.socket.write('body');
    await client.reads('ok');
    expect(client.text).toBe(`HTTP/1.1 100 Continue\r\n\r\n${reply}`);
    client.socket.destroy();
  });

  it('that are no HTTP pass both ways, the service speaking first', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.write('220 ready\r\n');
      socket.on('data', (chunk) => socket.write(`heard ${chunk}`));
      socket.on('end', () => socket.end('221 bye\r\n'));
    });
    const { endpoint, types, wire } = await watch(await listen(server, 'tcp'));
    expect(endpoint.protocol).toBe('tcp');
    const client = new RawClient(endpoint);
    await client.reads('220 ready');
    client.socket.write('EHLO me\r\n');
    await client.reads('heard EHLO me');
    expect(wire.open()).toBe(1);
    client.socket.end();
    await client.reads('221 bye');
    expect(types()).toEqual(['opaque-bytes']);
    expect(await wire.whenQuiet(1000)).toBe(true);
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
  });

  it('that turn out to be no HTTP pass all the same, and are recorded', async () => {
    const read: string[] = [];
    const { endpoint, types } = await watch(
      await listen(scripted([{ afterReading: 'QUIT\r\n', say: 'bye\r\n' }], read)),
    );
    const client = new RawClient(endpoint);
    client.socket.write('NOOP\r\n');
    client.socket.write('QUIT\r\n');
    await client.reads('bye');
    expect(read).toEqual(['NOOP\r\nQUIT\r\n']);
    expect(types()).toEqual(['request-began', 'opaque-bytes']);
    client.socket.destroy();
  });

  it('pass both ways after the service has left HTTP', async () => {
    const service = scripted([
      {
        afterReading: '\r\n\r\n',
        say: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello',
      },
      { afterReading: 'ping', say: 'pong' },
    ]);
    const { endpoint, types } = await watch(await listen(service));
    const client = new RawClient(endpoint);
    client.socket.write('GET / HTTP/1.1\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    await client.reads('hello');
    client.socket.write('ping');
    await client.reads('pong');
    expect(types()).toContain('opaque-bytes');
    client.socket.destroy();
  });

  it('of megabytes pass without being kept for a slow reader', async () => {
    const body = 'x'.repeat(8 * 1024 * 1024);
    const { endpoint, types } = await watch(
      await listen(
        scripted([
          {
            afterReading: '\r\n\r\n',
            say: `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          },
        ]),
      ),
    );
    const client = new RawClient(endpoint);
    client.socket.pause();
    client.socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(client.socket, 'connect');
    client.socket.resume();
    await expect.poll(() => client.received.length, { timeout: 5000 }).toBeGreaterThan(body.length);
    expect(types().at(-1)).toBe('delivered');
    client.socket.destroy();
  });

  it('go over TLS to a service that wants it, in the clear to the wire', async () => {
    const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
    const server = createSecureServer(
      { key: pems.private, cert: pems.cert },
      (_request, response) => {
        response.end('secret');
      },
    );
    const upstream = { ...(await listen(server, 'https')), caPem: pems.cert };
    const { endpoint } = await watch(upstream);
    expect(endpoint.protocol).toBe('http');
    expect(await post(endpoint, 'a')).toEqual({ kind: 'reply', status: 200, body: 'secret' });

    const distrusted = await watch({ ...upstream, caPem: (await generate()).cert });
    expect((await post(distrusted.endpoint, 'a')).kind).toBe('broken');
    expect(distrusted.types()).not.toContain('forwarded');
  });
});

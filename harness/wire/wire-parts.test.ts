/** Connections, requests and replies that go only part of the way, to the byte. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../adapters/target.ts';
import {
  decide,
  RawClient,
  untouched,
  type WatchedWire,
  watchWire,
} from './testing/little-service.ts';
import type { WireDecisions } from './wire.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface ReadingService {
  readonly endpoint: Endpoint;
  /** Every byte of every connection, joined. */
  text(): string;
  connections(): number;
  closed(): number;
}

/** Keeps every byte and says `reply` once it has read `until`. */
async function startReadingService(until: string, reply: string): Promise<ReadingService> {
  let heard = '';
  let closed = 0;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      closed += 1;
    });
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (heard.includes(until)) socket.write(reply);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    endpoint: { protocol: 'http', host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    text: () => heard,
    connections: () => sockets.length,
    closed: () => closed,
  };
}

const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone';
const message = 'POST /effects HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nrefund';

async function watch(decisions: WireDecisions): Promise<WatchedWire & { service: ReadingService }> {
  const service = await startReadingService('refund', reply);
  const watched = await watchWire(service.endpoint, decisions);
  closers.push(() => watched.wire.close());
  return { ...watched, service };
}

/** A sender that has sent the whole message, and with it on record what the wire said of it. */
async function send(endpoint: Endpoint): Promise<RawClient> {
  const client = new RawClient(endpoint);
  await once(client.socket, 'connect');
  await new Promise((resolve) => client.socket.write(message, resolve));
  return client;
}

/** Long enough for a byte to cross the loopback, if there were one. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 30));

const whats = ({ events }: WatchedWire) =>
  events.flatMap((event) => (event.type === 'connection' ? [event.what] : []));

describe('a held connection', () => {
  it('stands, is told of, and not one byte of it is read', async () => {
    const watched = await watch(decide(untouched, 'hold'));
    const client = await send(watched.endpoint);
    await aWhile();
    expect(watched.events).toEqual([
      { type: 'connection', incarnation: 1, connection: 1, what: 'opened' },
    ]);
    expect(watched.service.connections()).toBe(0);
    expect(client.received).toHaveLength(0);
    expect(client.socket.destroyed).toBe(false);
    expect(watched.wire.open()).toBe(0);
  });

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'is closed once its sender is known to be dead (%s), and is handled by nobody then',
    async (ends) => {
      const watched = await watch(decide(untouched, 'hold'));
      const client = await send(watched.endpoint);
      expect(await watched.wire.whenSenderGone(2, 20)).toBe(true);
      client.socket[ends]();
      await client.closed();
      expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
      expect(whats(watched)).toEqual(['opened', 'closed']);
      expect(watched.types()).toEqual([]);
      expect(watched.service.connections()).toBe(0);
    },
  );

  it('does not count as gone while its sender lives', async () => {
    const watched = await watch(decide(untouched, 'hold'));
    const client = await send(watched.endpoint);
    expect(await watched.wire.whenSenderGone(1, 30)).toBe(false);
    expect(watched.types()).toEqual([]);
    client.socket.destroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
  });

  it('ends with the wire', async () => {
    const watched = await watch(decide(untouched, 'hold'));
    const client = await send(watched.endpoint);
    await expect.poll(() => whats(watched)).toEqual(['opened']);
    await watched.wire.close();
    await client.closed();
    expect(whats(watched)).toEqual(['opened', 'closed']);
  });
});

describe('a request that is stopped at its first byte', () => {
  const stopAll: WireDecisions = { ...decide(untouched), began: () => 'stop' };

  it('has begun, and nothing of it goes on, whole as it came', async () => {
    const watched = await watch(stopAll);
    const client = await send(watched.endpoint);
    await expect.poll(() => watched.types()).toEqual(['request-began']);
    await aWhile();
    expect(watched.types()).toEqual(['request-began']);
    expect(watched.service.connections()).toBe(0);
    expect(client.received).toHaveLength(0);
    expect(client.socket.destroyed).toBe(false);
    expect(watched.wire.open()).toBe(1);
    client.socket.resetAndDestroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(watched.types()).toEqual(['request-began', 'dropped']);
    expect(watched.wire.open()).toBe(0);
  });

  it('is not asked for its body', async () => {
    const watched = await watch(stopAll);
    const client = new RawClient(watched.endpoint);
    client.socket.write('POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n');
    await expect.poll(() => watched.types()).toEqual(['request-began']);
    await aWhile();
    expect(client.received).toHaveLength(0);
  });

  it('leaves the answer to the request before it alone', async () => {
    const watched = await watch({
      ...decide(untouched),
      began: ({ request }) => (request === 2 ? 'stop' : 'read'),
    });
    const client = new RawClient(watched.endpoint);
    client.socket.write(message + message);
    await client.reads('done');
    expect(client.text).toBe(reply);
    expect(watched.service.text()).toBe(message);
    client.socket.destroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(watched.types().at(-1)).toBe('dropped');
  });
});

describe('a request of which the service gets half', () => {
  const half = decide({ upstream: 'half', reply: 'withhold' });

  it('arrives to the byte and no further, on a connection that lasts as long as its sender', async () => {
    const watched = await watch(half);
    const client = await send(watched.endpoint);
    const firstHalf = message.slice(0, Math.floor(message.length / 2));
    await expect.poll(() => watched.service.text()).toBe(firstHalf);
    await aWhile();
    expect(watched.service.text()).toBe(firstHalf);
    expect(watched.types()).toEqual([
      'request-began',
      'request-whole',
      'forwarded-part',
      'dropped',
    ]);
    expect(client.received).toHaveLength(0);
    expect([watched.service.closed(), client.socket.destroyed]).toEqual([0, false]);
    expect(await watched.wire.whenSenderGone(1, 20)).toBe(false);
    client.socket.resetAndDestroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    await expect.poll(() => watched.service.closed()).toBe(1);
    expect(watched.service.text()).toBe(firstHalf);
    expect(watched.wire.open()).toBe(0);
  });

  it('keeps what is asked behind it waiting', async () => {
    const watched = await watch(half);
    const client = await send(watched.endpoint);
    client.socket.write(message);
    await expect
      .poll(() => watched.types().filter((type) => type === 'request-whole'))
      .toHaveLength(2);
    await aWhile();
    expect(watched.types().filter((type) => type === 'forwarded-part')).toHaveLength(1);
    client.socket.destroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(watched.types().filter((type) => type === 'dropped')).toHaveLength(2);
  });

  it('is not called forwarded where the service can not be reached', async () => {
    const watched = await watchWire({ protocol: 'http', host: '127.0.0.1', port: 1 }, half);
    closers.push(() => watched.wire.close());
    const client = await send(watched.endpoint);
    await expect.poll(() => watched.types().at(-1)).toBe('dropped');
    expect(watched.types()).not.toContain('forwarded-part');
    client.socket.destroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
  });
});

describe('a reply of which a part is passed on', () => {
  it.each([
    ['first-byte', 1],
    ['half', Math.floor(reply.length / 2)],
  ] as const)('arrives as its %s and no further, on an open connection', async (part, bytes) => {
    const watched = await watch(decide({ upstream: 'forward', reply: { part } }));
    const client = await send(watched.endpoint);
    await expect.poll(() => watched.types().at(-1)).toBe('dropped');
    await aWhile();
    expect(client.text).toBe(reply.slice(0, bytes));
    expect(client.socket.destroyed).toBe(false);
    expect(watched.service.text()).toBe(message);
    expect(watched.types()).toEqual([
      'request-began',
      'request-whole',
      'forwarded',
      'replied',
      'delivered-part',
      'dropped',
    ]);
    expect(watched.events.find((event) => event.type === 'delivered-part')).toEqual({
      type: 'delivered-part',
      incarnation: 1,
      request: 1,
      bytes,
    });
    expect(watched.wire.open()).toBe(0);
    client.socket.destroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
  });
});

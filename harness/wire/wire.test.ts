import { createHash } from 'node:crypto';
import { Agent, get } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  decide,
  type LittleService,
  post,
  RawClient,
  startLittleService,
  untouched,
  type WatchedWire,
  watchWire,
} from './testing/little-service.ts';
import type { Handling, WireDecisions } from './wire.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(...reply: Parameters<typeof startLittleService>): Promise<LittleService> {
  const service = await startLittleService(...reply);
  closers.push(() => service.close());
  return service;
}

async function watch(service: LittleService, decisions: WireDecisions): Promise<WatchedWire> {
  const watched = await watchWire(service.endpoint, decisions);
  closers.push(() => watched.wire.close());
  return watched;
}

describe('a request on the wire', () => {
  it('passes untouched and is told from its first byte to the hand-over of its reply', async () => {
    const service = await serve();
    const { endpoint, events, types, wire } = await watch(service, decide(untouched));
    expect(await post(endpoint, 'refund')).toEqual({
      kind: 'reply',
      status: 200,
      body: 'did refund',
    });
    expect(await wire.whenQuiet(1000)).toBe(true);
    expect(types()).toEqual([
      'request-began',
      'request-whole',
      'forwarded',
      'replied',
      'delivered',
    ]);
    expect(events.find((event) => event.type === 'request-whole')).toEqual({
      type: 'request-whole',
      incarnation: 1,
      request: 1,
      method: 'POST',
      path: '/effects',
      mutating: true,
      key: 'key-1',
      bodySha256: createHash('sha256').update('refund').digest('hex'),
    });
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
    expect(
      events.filter((event) => event.type === 'connection').map((event) => event.what),
    ).toEqual(['opened', 'closed']);
  });

  it.each<[string, Handling, readonly string[]]>([
    ['discarded', { upstream: 'discard', reply: 'withhold' }, ['dropped']],
    [
      'answered and left waiting',
      { upstream: 'forward', reply: 'withhold' },
      ['forwarded', 'replied', 'dropped'],
    ],
  ])('%s gives its sender silence on an open connection', async (_name, handling, steps) => {
    const service = await serve();
    const { endpoint, types, wire } = await watch(service, decide(handling));
    const client = new RawClient(endpoint);
    client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na');
    if (handling.upstream === 'forward') await service.effects(1);
    await expect.poll(() => types()).toEqual(['request-began', 'request-whole', ...steps]);
    expect(wire.open()).toBe(0);
    expect(client.received).toHaveLength(0);
    expect(client.socket.destroyed).toBe(false);
    expect(await wire.whenSenderGone(1, 20)).toBe(false);
    client.socket.destroy();
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
  });

  it('is held, outlives its sender, and takes effect when it is released', async () => {
    const service = await serve();
    const { endpoint, types, wire } = await watch(
      service,
      decide({ upstream: 'hold', reply: 'withhold' }),
    );
    expect(await post(endpoint, 'late', 50)).toEqual({ kind: 'silence' });
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
    expect([wire.held(), wire.open(), service.journal]).toEqual([1, 1, []]);
    expect(await wire.whenQuiet(20)).toBe(false);
    wire.release();
    expect(wire.held()).toBe(0);
    expect(await wire.whenQuiet(1000)).toBe(true);
    expect(service.journal).toEqual(['late']);
    expect(types()).toEqual([
      'request-began',
      'request-whole',
      'held',
      'forwarded',
      'replied',
      'dropped',
    ]);
  });

  it('that is held may be answered late where its sender still waits', async () => {
    const service = await serve();
    const { endpoint, types, wire } = await watch(
      service,
      decide({ upstream: 'hold', reply: 'deliver' }),
    );
    const sent = post(endpoint, 'slow');
    await expect.poll(() => wire.held()).toBe(1);
    wire.release();
    expect(await sent).toEqual({ kind: 'reply', status: 200, body: 'did slow' });
    expect(types().at(-1)).toBe('delivered');
  });

  it('is read to its end although its sender died, and counts as in progress until then', async () => {
    const answers: (() => void)[] = [];
    const service = await serve(
      (_request, response, body) => void answers.push(() => response.end(`did ${body}`)),
    );
    const { endpoint, types, wire } = await watch(service, decide(untouched));
    const client = new RawClient(endpoint);
    client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na');
    await service.effects(1);
    client.socket.resetAndDestroy();
    expect(await wire.whenSenderGone(1, 30)).toBe(false);
    answers[0]?.();
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
    expect(types().slice(2)).toEqual(['forwarded', 'replied', 'dropped']);
  });

  it('that was cut off goes nowhere', async () => {
    const service = await serve();
    const { endpoint, types, wire } = await watch(service, decide(untouched));
    const client = new RawClient(endpoint);
    client.socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na');
    await client.closed();
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
    expect(types()).toEqual(['request-began', 'dropped']);
    expect([wire.open(), service.journal]).toEqual([0, []]);
  });

  it('breaks for its sender where the service breaks off', async () => {
    const service = await serve((request) => request.socket.destroy());
    const { endpoint, types } = await watch(service, decide(untouched));
    expect(await post(endpoint, 'a')).toEqual({ kind: 'broken', code: 'ECONNRESET' });
    expect(types().slice(2)).toEqual(['forwarded', 'dropped']);
  });

  it('is not called forwarded where the service can not be reached', async () => {
    const service = await startLittleService();
    await service.close();
    const { endpoint, types } = await watch(service, decide(untouched));
    expect(await post(endpoint, 'a')).toEqual({ kind: 'broken', code: 'ECONNRESET' });
    expect(types().slice(2)).toEqual(['dropped']);
  });
});

describe('connections on the wire', () => {
  it('carry many requests when kept alive, and are at rest in between', async () => {
    const service = await serve();
    const { endpoint, events, wire } = await watch(service, decide(untouched));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const fetchOne = () =>
      new Promise<void>((resolve, reject) => {
        get({ host: endpoint.host, port: endpoint.port, agent }, (response) => {
          response.resume().on('end', resolve);
        }).on('error', reject);
      });
    for (let round = 0; round < 3; round += 1) {
      await fetchOne();
      expect(await wire.whenQuiet(1000)).toBe(true);
    }
    const opened = events.filter((event) => event.type === 'connection' && event.what === 'opened');
    expect(opened).toHaveLength(1);
    expect(events.filter((event) => event.type === 'delivered')).toHaveLength(3);
    wire.resetIdle();
    expect(await wire.whenSenderGone(1, 1000)).toBe(true);
    agent.destroy();
  });

  it('answer pipelined requests in their order, whatever becomes of each', async () => {
    const service = await serve();
    const handlings: Handling[] = [
      { upstream: 'discard', reply: { status: 503, body: 'no' } },
      { upstream: 'forward', reply: { status: 504, body: 'late' } },
      untouched,
    ];
    const { endpoint, types } = await watch(service, {
      connection: () => 'accept',
      request: ({ request }) => handlings[request - 1] ?? untouched,
    });
    const client = new RawClient(endpoint);
    const message = (body: string) =>
      `POST /${body} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n${body}`;
    client.socket.write(message('a') + message('b') + message('c'));
    await client.reads('did c');
    expect(client.text.match(/HTTP\/1.1 \d+/g)).toEqual([
      'HTTP/1.1 503',
      'HTTP/1.1 504',
      'HTTP/1.1 200',
    ]);
    expect(service.journal).toEqual(['b', 'c']);
    expect(types().filter((type) => type === 'dropped')).toHaveLength(2);
    client.socket.destroy();
  });

  it('are refused before a byte is read', async () => {
    const service = await serve();
    const { endpoint, events } = await watch(service, decide(untouched, 'refuse'));
    expect((await post(endpoint, 'a')).kind).toBe('broken');
    expect(events).toEqual([
      { type: 'connection', incarnation: 1, connection: 1, what: 'refused' },
    ]);
  });

  it('belong to the incarnation whose listener they came to', async () => {
    const service = await serve();
    const { endpoint, events, wire } = await watch(service, decide(untouched));
    const second = await wire.listen(2);
    await post(endpoint, 'a');
    await post(second, 'b');
    const wholes = events.flatMap((event) =>
      event.type === 'request-whole' ? [[event.incarnation, event.request]] : [],
    );
    expect(wholes).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('end with the wire, and what is held is dropped', async () => {
    const service = await serve();
    const { endpoint, events, types, wire } = await watch(
      service,
      decide({ upstream: 'hold', reply: 'withhold' }),
    );
    const client = new RawClient(endpoint);
    client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na');
    await expect.poll(() => wire.held()).toBe(1);
    await wire.close();
    const seen = events.length;
    await client.closed();
    expect(types().at(-1)).toBe('dropped');
    expect(events).toHaveLength(seen);
    expect(service.journal).toEqual([]);
  });
});

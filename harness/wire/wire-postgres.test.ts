/** A real driver, a wire and a real Postgres server: what is decided about a cycle, and what it leaves behind. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ObservedEvent } from '../model/history.ts';
import {
  decide,
  RawClient,
  untouched,
  type WatchedWire,
  watchWire,
} from './testing/little-service.ts';
import {
  bind,
  complete,
  execute,
  flush,
  parse,
  query,
  ready,
  sslRequest,
  startUp,
  sync,
  terminate,
  typed,
  untyped,
} from './testing/postgres-messages.ts';
import {
  openSession,
  type PostgresServer,
  type Session,
  startPostgres,
} from './testing/postgres-server.ts';
import type { Handling, WireDecisions } from './wire.ts';

let server: PostgresServer;
let direct: Session;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startPostgres();
  direct = await openSession(server.endpoint);
  await direct.client.query('CREATE TABLE effects (name text PRIMARY KEY)');
});
afterAll(async () => {
  direct.socket.destroy();
  await server.close();
});
beforeEach(async () => {
  await direct.client.query('TRUNCATE effects');
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function watch(decisions: WireDecisions, upstream = server.endpoint): Promise<WatchedWire> {
  const watched = await watchWire(upstream, decisions);
  closers.push(() => watched.wire.close());
  return watched;
}

async function open({ endpoint }: WatchedWire): Promise<Session> {
  const session = await openSession(endpoint);
  closers.push(async () => void session.socket.destroy());
  return session;
}

/** What can take effect is handled so, and everything else passes. */
const onMutating = (handling: Handling): WireDecisions => ({
  connection: () => 'accept',
  request: ({ mutating }) => (mutating ? handling : untouched),
});

/** A session that has sent its COMMIT, and how that ends. */
async function commitThrough(
  watched: WatchedWire,
): Promise<Session & { readonly committed: Promise<Ending> }> {
  const session = await open(watched);
  const { client } = session;
  await client.query('BEGIN');
  await client.query('INSERT INTO effects VALUES ($1)', ['refund']);
  return { ...session, committed: endingOf(client.query('COMMIT')) };
}

type Ending = { readonly command: string } | { readonly code: string };

async function endingOf(asked: Promise<{ command: string }>): Promise<Ending> {
  try {
    return { command: (await asked).command };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return { code: code ?? message };
  }
}

/** Long enough for a byte to cross the loopback, if there were one. */
const aWhile = () => new Promise<'silence'>((resolve) => setTimeout(() => resolve('silence'), 30));

async function journal(): Promise<readonly string[]> {
  const { rows } = await direct.client.query<{ name: string }>(
    'SELECT name FROM effects ORDER BY name',
  );
  return rows.map(({ name }) => name);
}

/** The sessions of others that the server still has, by their state. */
async function others(): Promise<readonly string[]> {
  const { rows } = await direct.client.query<{ state: string }>(
    "SELECT state FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  return rows.map(({ state }) => state);
}

const wholes = (events: readonly ObservedEvent[]) =>
  events.flatMap((event) =>
    event.type === 'request-whole' ? [[event.method, event.path, event.mutating]] : [],
  );
const statuses = (events: readonly ObservedEvent[]) =>
  events.flatMap((event) => (event.type === 'replied' ? [event.status] : []));
/** The events of the request that could take effect, by type. */
const steps = (events: readonly ObservedEvent[]) => {
  const whole = events.find((event) => event.type === 'request-whole' && event.mutating);
  const request = whole?.type === 'request-whole' ? whole.request : null;
  return events.flatMap((event) =>
    'request' in event && event.request === request ? [event.type] : [],
  );
};

describe('a Postgres transaction on the wire', () => {
  it('passes untouched, and each of its cycles is told', async () => {
    const watched = await watch(decide(untouched));
    expect(watched.endpoint.protocol).toBe('postgres');
    const { client, committed } = await commitThrough(watched);
    expect(await committed).toEqual({ command: 'COMMIT' });
    expect(await journal()).toEqual(['refund']);
    expect(wholes(watched.events)).toEqual([
      ['BEGIN', 'BEGIN', false],
      ['INSERT', 'BEGIN; INSERT INTO effects VALUES ($1)', false],
      ['COMMIT', 'BEGIN; INSERT INTO effects VALUES ($1); COMMIT', true],
    ]);
    expect(watched.types()).toEqual(
      [1, 2, 3].flatMap(() => [
        'request-began',
        'request-whole',
        'forwarded',
        'replied',
        'delivered',
      ]),
    );
    await client.end();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(JSON.stringify(watched.events)).not.toContain('refund');
    await expect.poll(others).toEqual([]);
  });

  it('is at rest between its cycles, and its connection can be reset there', async () => {
    const watched = await watch(decide(untouched));
    const { client, socket } = await open(watched);
    await client.query('BEGIN');
    await client.query("INSERT INTO effects VALUES ('refund')");
    expect(watched.wire.open()).toBe(0);
    expect(await watched.wire.whenQuiet(0)).toBe(true);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    watched.wire.resetIdle();
    await closed;
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    await expect.poll(others).toEqual([]);
    expect(await journal()).toEqual([]);
  });

  it('is told in numbers: an error is 400, a COMMIT answered with ROLLBACK 409', async () => {
    const watched = await watch(decide(untouched));
    const { client } = await open(watched);
    await client.query('BEGIN');
    expect(await endingOf(client.query('INSERT INTO nowhere VALUES (1)'))).toEqual({
      code: '42P01',
    });
    expect(await endingOf(client.query('COMMIT'))).toEqual({ command: 'ROLLBACK' });
    expect(statuses(watched.events)).toEqual([200, 400, 409]);
    expect(wholes(watched.events).map(([, , mutating]) => mutating)).toEqual([false, false, false]);
  });

  it('is rolled back where its sender dies inside it', async () => {
    const watched = await watch(decide(untouched));
    const { client, socket } = await open(watched);
    await client.query('BEGIN');
    await client.query("INSERT INTO effects VALUES ('refund')");
    socket.resetAndDestroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    await expect.poll(others).toEqual([]);
    expect(await journal()).toEqual([]);
  });

  it('commits although its sender died, where the server was at work on it, and is waited for', async () => {
    const watched = await watch(decide(untouched));
    const { client, socket } = await open(watched);
    await direct.client.query('BEGIN; LOCK effects');
    const asked = endingOf(client.query("INSERT INTO effects VALUES ('refund')"));
    await expect.poll(() => watched.types().at(-1)).toBe('forwarded');
    socket.resetAndDestroy();
    await asked;
    expect(await watched.wire.whenSenderGone(1, 30)).toBe(false);
    expect(watched.wire.open()).toBe(1);
    await direct.client.query('COMMIT');
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(await journal()).toEqual(['refund']);
    expect(steps(watched.events)).toEqual([
      'request-began',
      'request-whole',
      'forwarded',
      'replied',
      'dropped',
    ]);
    await expect.poll(others).toEqual([]);
  });
});

describe('what is decided about a Postgres COMMIT', () => {
  it.each<[string, Handling, Ending | 'silence', readonly string[], boolean]>([
    [
      'loses its reply to a reset',
      { upstream: 'forward', reply: 'reset' },
      { code: 'ECONNRESET' },
      ['forwarded', 'replied', 'dropped'],
      true,
    ],
    [
      'loses its reply to an end',
      { upstream: 'forward', reply: 'end' },
      { code: 'Connection terminated unexpectedly' },
      ['forwarded', 'replied', 'dropped'],
      true,
    ],
    [
      'loses its reply to silence',
      { upstream: 'forward', reply: 'withhold' },
      'silence',
      ['forwarded', 'replied', 'dropped'],
      true,
    ],
    [
      'gets half a reply',
      { upstream: 'forward', reply: 'truncate' },
      { code: 'Connection terminated unexpectedly' },
      ['forwarded', 'replied', 'dropped'],
      true,
    ],
    [
      'gets the first byte of a reply',
      { upstream: 'forward', reply: { part: 'first-byte' } },
      'silence',
      ['forwarded', 'replied', 'delivered-part', 'dropped'],
      true,
    ],
    [
      'gets half a reply and waits',
      { upstream: 'forward', reply: { part: 'half' } },
      'silence',
      ['forwarded', 'replied', 'delivered-part', 'dropped'],
      true,
    ],
    [
      'is told that it took too long',
      { upstream: 'forward', reply: { status: 504, body: '' } },
      { code: '08006' },
      ['forwarded', 'replied', 'dropped', 'delivered'],
      true,
    ],
    [
      'is answered late',
      { upstream: 'forward', reply: { delayMs: 20 } },
      { command: 'COMMIT' },
      ['forwarded', 'replied', 'delivered'],
      true,
    ],
    [
      'is thrown away with its connection',
      { upstream: 'discard', reply: 'reset' },
      { code: 'ECONNRESET' },
      ['dropped'],
      false,
    ],
    [
      'is thrown away, and its connection ends',
      { upstream: 'discard', reply: 'end' },
      { code: 'Connection terminated unexpectedly' },
      ['dropped'],
      false,
    ],
    [
      'is thrown away in silence',
      { upstream: 'discard', reply: 'withhold' },
      'silence',
      ['dropped'],
      false,
    ],
    [
      'is told that the server goes down',
      { upstream: 'discard', reply: { status: 503, body: '' } },
      { code: '57P01' },
      ['dropped', 'delivered'],
      false,
    ],
    [
      'goes on as a half',
      { upstream: 'half', reply: 'withhold' },
      'silence',
      ['forwarded-part', 'dropped'],
      false,
    ],
  ])('%s', async (_name, handling, expected, told, lasts) => {
    const watched = await watch(onMutating(handling));
    const { committed, socket } = await commitThrough(watched);
    const ending = await (expected === 'silence' ? Promise.race([committed, aWhile()]) : committed);
    expect(ending).toEqual(expected);
    await expect
      .poll(() => steps(watched.events))
      .toEqual(['request-began', 'request-whole', ...told]);
    expect(watched.wire.open()).toBe(0);
    // A session that the wire has ended is over at the server too.
    if (expected !== 'silence' && 'code' in expected) await expect.poll(others).toEqual([]);
    if (expected === 'silence') expect(await watched.wire.whenSenderGone(1, 0)).toBe(false);
    socket.destroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    await expect.poll(others).toEqual([]);
    expect(await journal()).toEqual(lasts ? ['refund'] : []);
  });

  it('is held with its session, outlives its sender, and commits when it is released', async () => {
    const watched = await watch(onMutating({ upstream: 'hold', reply: 'withhold' }));
    const { socket } = await commitThrough(watched);
    await expect.poll(() => watched.wire.held()).toBe(1);
    socket.resetAndDestroy();
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(await others()).toEqual(['idle in transaction']);
    expect([watched.wire.open(), await journal()]).toEqual([1, []]);
    expect(await watched.wire.whenQuiet(20)).toBe(false);
    watched.wire.release();
    expect(await watched.wire.whenQuiet(1000)).toBe(true);
    expect(await journal()).toEqual(['refund']);
    expect(steps(watched.events).slice(2)).toEqual(['held', 'forwarded', 'replied', 'dropped']);
    await expect.poll(others).toEqual([]);
  });

  it.each<[Handling['reply'], Ending]>([
    ['reset', { code: 'ECONNRESET' }],
    ['end', { code: 'Connection terminated unexpectedly' }],
    [{ status: 504, body: '' }, { code: '08006' }],
  ])('that is held commits later whatever its sender was told (%o)', async (reply, told) => {
    const watched = await watch(onMutating({ upstream: 'hold', reply } as Handling));
    const { committed } = await commitThrough(watched);
    expect(await committed).toEqual(told);
    expect(await others()).toEqual(['idle in transaction']);
    watched.wire.release();
    expect(await watched.wire.whenQuiet(1000)).toBe(true);
    expect(await journal()).toEqual(['refund']);
    await expect.poll(others).toEqual([]);
  });

  it('that is held may be answered late, and its session goes on', async () => {
    const watched = await watch(onMutating({ upstream: 'hold', reply: 'deliver' }));
    const { client, committed } = await commitThrough(watched);
    await expect.poll(() => watched.wire.held()).toBe(1);
    watched.wire.release();
    expect(await committed).toEqual({ command: 'COMMIT' });
    expect((await client.query('SELECT name FROM effects')).rows).toEqual([{ name: 'refund' }]);
  });

  it('that is held is rolled back where the wire closes, and where the server has ended its session', async () => {
    const closing = await watch(onMutating({ upstream: 'hold', reply: 'withhold' }));
    await commitThrough(closing);
    await expect.poll(() => closing.wire.held()).toBe(1);
    await closing.wire.close();
    await expect.poll(others).toEqual([]);

    const ended = await watch(onMutating({ upstream: 'hold', reply: 'withhold' }));
    await commitThrough(ended);
    await expect.poll(() => ended.wire.held()).toBe(1);
    await terminateOthers();
    ended.wire.release();
    expect(await ended.wire.whenQuiet(1000)).toBe(true);
    // Whether the wire had seen the session's end by then or wrote into it, nothing came of it.
    const after = steps(ended.events).slice(2);
    expect(after.filter((step) => step !== 'forwarded')).toEqual(['held', 'dropped']);
    expect(await journal()).toEqual([]);
  });

  it('is left to whoever knows better that it makes no effect', async () => {
    const lost: Handling = { upstream: 'discard', reply: 'reset' };
    const watched = await watchWire(
      server.endpoint,
      { connection: () => 'accept', request: ({ mutating }) => (mutating ? lost : untouched) },
      ({ path }) => path.includes('effects'),
    );
    closers.push(() => watched.wire.close());
    expect(await (await commitThrough(watched)).committed).toEqual({ command: 'COMMIT' });
    expect(wholes(watched.events).map(([, , mutating]) => mutating)).toEqual([false, false, false]);
  });
});

async function terminateOthers(): Promise<void> {
  await direct.client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  await expect.poll(others).toEqual([]);
}

describe('a Postgres session on the wire', () => {
  it('is read no further than the first byte of a request that is stopped', async () => {
    const watched = await watch({ ...decide(untouched), began: () => 'stop' });
    const { client, socket } = await open(watched);
    const asked = endingOf(client.query("INSERT INTO effects VALUES ('refund')"));
    await expect.poll(() => watched.types()).toEqual(['request-began']);
    expect(await Promise.race([asked, aWhile()])).toBe('silence');
    socket.destroy();
    await asked;
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
    expect(watched.types()).toEqual(['request-began', 'dropped']);
    await expect.poll(others).toEqual([]);
    expect(await journal()).toEqual([]);
  });

  it('is refused before a byte of it is read', async () => {
    const watched = await watch(decide(untouched, 'refuse'));
    await expect(openSession(watched.endpoint)).rejects.toThrow();
    expect(watched.events).toEqual([
      { type: 'connection', incarnation: 1, connection: 1, what: 'refused' },
    ]);
  });

  it('breaks where the service can not be reached', async () => {
    const watched = await watch(decide(untouched), { ...server.endpoint, port: 1 });
    await expect(openSession(watched.endpoint)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(watched.types()).toEqual([]);
  });

  it('ends with the server’s own word where the server ends it', async () => {
    const watched = await watch(decide(untouched));
    const { client } = await open(watched);
    const heard = new Promise<Error & { code?: string }>((resolve) =>
      client.once('error', resolve),
    );
    await terminateOthers();
    expect(await heard).toMatchObject({ code: '57P01' });
    expect(await watched.wire.whenSenderGone(1, 1000)).toBe(true);
  });

  it('hears what others tell it, and no request is made of that', async () => {
    const watched = await watch(decide(untouched));
    const { client } = await open(watched);
    await client.query('LISTEN news');
    const heard = once(client, 'notification');
    await direct.client.query("NOTIFY news, 'well'");
    expect((await heard)[0]).toMatchObject({ payload: 'well' });
    expect(watched.types()).toHaveLength(5);
  });

  it('keeps prepared statements by their names, and megabytes of rows pass', async () => {
    const watched = await watch(decide(untouched));
    const { client } = await open(watched);
    const many = {
      name: 'many',
      text: "SELECT repeat('x', 1000) FROM generate_series(1, $1::int)",
    };
    for (const count of [2, 5000]) {
      expect((await client.query({ ...many, values: [count] })).rowCount).toBe(count);
    }
    expect(wholes(watched.events).map(([method]) => method)).toEqual(['SELECT', 'SELECT']);
  });

  it('can be told to cancel, over a connection of its own', async () => {
    const watched = await watch(decide(untouched));
    const { client } = await open(watched);
    const asked = endingOf(client.query('SELECT pg_sleep(10)'));
    await expect.poll(others).toEqual(['active']);
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    const key = Buffer.alloc(8);
    key.writeInt32BE(processID, 0);
    key.writeInt32BE(secretKey, 4);
    const canceller = new RawClient(watched.endpoint);
    canceller.socket.end(untyped(80_877_102, key.toString('latin1')));
    expect(await asked).toEqual({ code: '57014' });
    await canceller.closed();
    expect(watched.types().filter((type) => type === 'opaque-bytes')).toHaveLength(1);
  });
});

describe('a Postgres client that needs no driver', () => {
  const hello = Buffer.from(startUp.toString('latin1').replace('me\0', ''), 'latin1');

  /** A session past its start-up, asked for encryption first. */
  async function startRaw(watched: WatchedWire): Promise<RawClient> {
    const client = new RawClient(watched.endpoint);
    closers.push(async () => void client.socket.destroy());
    client.socket.write(sslRequest);
    await client.reads('N');
    const body = Buffer.from('user\0postgres\0database\0postgres\0\0');
    client.socket.write(untyped(hello.readUInt32BE(4), body.toString('latin1')));
    await client.reads(ready('I').toString('latin1'));
    client.received = Buffer.alloc(0);
    return client;
  }

  it('may send its cycles all at once, byte by byte, and leave', async () => {
    const watched = await watch(decide(untouched));
    const client = await startRaw(watched);
    const sent = Buffer.concat([
      ...['BEGIN', "INSERT INTO effects VALUES ('refund')", 'COMMIT'].map(query),
      terminate,
    ]);
    for (const byte of sent) client.socket.write(Buffer.from([byte]));
    await client.closed();
    expect(client.received).toEqual(
      Buffer.concat([
        complete('BEGIN'),
        ready('T'),
        complete('INSERT 0 1'),
        ready('T'),
        complete('COMMIT'),
        ready('I'),
      ]),
    );
    expect(await journal()).toEqual(['refund']);
  });

  it('may ask about a statement before it executes it', async () => {
    const watched = await watch(decide(untouched));
    const client = await startRaw(watched);
    client.socket.write(
      Buffer.concat([
        query('SELECT 1'),
        parse('s', "INSERT INTO effects VALUES ('refund')"),
        typed('D', 'Ss\0'),
        flush,
      ]),
    );
    // The description: no parameters, no rows.
    await client.reads(typed('n').toString('latin1'));
    expect(statuses(watched.events)).toEqual([200]);
    client.socket.write(Buffer.concat([bind('s'), execute(), sync]));
    await client.reads('INSERT 0 1');
    await expect.poll(() => statuses(watched.events)).toEqual([200, 200]);
    expect(steps(watched.events).at(-1)).toBe('delivered');
    expect(await journal()).toEqual(['refund']);
  });

  it('may copy rows in, by either protocol', async () => {
    const watched = await watch(decide(untouched));
    const client = await startRaw(watched);
    const rows = (name: string) => Buffer.concat([typed('d', `${name}\n`), typed('c')]);
    client.socket.write(query('COPY effects FROM STDIN'));
    await client.reads('G');
    client.socket.write(rows('a'));
    await client.reads(ready('I').toString('latin1'));
    client.received = Buffer.alloc(0);
    const parts = [
      typed('P', '\0COPY effects FROM STDIN\0\0\0'),
      typed('B', '\0\0\0\0\0\0\0\0'),
      typed('E', '\0\0\0\0\0'),
    ];
    client.socket.write(Buffer.concat([...parts, sync]));
    await client.reads('G');
    client.socket.write(Buffer.concat([rows('b'), sync]));
    await client.reads(ready('I').toString('latin1'));
    expect(await journal()).toEqual(['a', 'b']);
    expect(statuses(watched.events)).toEqual([200, 200]);
  });
});

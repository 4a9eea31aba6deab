import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Endpoint, InvalidRequestError, type JsonObject } from '../target.ts';
import { createTarget } from './target.ts';
import { entityOf, openNamespace, openTarget, variants } from './testing/database.ts';

const endpoint: Endpoint = { protocol: 'postgres', host: '127.0.0.1', port: 1 };
const credentials = { user: 'u', password: 'secret', database: 'd' };

function create(options: JsonObject, other: Partial<Parameters<typeof createTarget>[0]> = {}) {
  return createTarget({ endpoint, credentials, options, now: Date.now, ...other });
}

/** Takes connections and does with them what it is told. */
async function openSilent(onConnection: (socket: Socket) => void): Promise<Endpoint> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return { ...endpoint, port: address.port };
}

describe('a declaration', () => {
  const ofAll = {
    onceByState: false,
    guardsPremises: false,
    storedErrorFinal: false,
    noReturnMark: false,
    premises: ['value-equals', 'version-unchanged'],
    clientTimeoutMs: 30_000,
  };

  test('of unique: a key works for ever, and absence is never final', () => {
    expect(create({ variant: 'unique' }).declaration).toEqual({
      ...ofAll,
      dedupe: { windowMs: 'forever' },
      lookup: { lagMs: 0, seesDeletions: true },
      absence: 'never',
    });
  });

  test('of fenced: absence is final behind a fence, which it alone has', () => {
    const target = create({ variant: 'fenced', lagMs: 40 });
    expect(target.declaration).toEqual({
      ...ofAll,
      dedupe: null,
      lookup: { lagMs: 40, seesDeletions: true },
      absence: 'fence',
    });
    expect(target.fence).toBeTypeOf('function');
    expect(create({ variant: 'unique' }).fence).toBeUndefined();
    expect(create({ variant: 'lookup' }).fence).toBeUndefined();
  });

  test('of lookup: absence is final after a bound', () => {
    expect(create({ variant: 'lookup', landingBoundMs: 80 }).declaration).toEqual({
      ...ofAll,
      dedupe: null,
      lookup: { lagMs: 0, seesDeletions: true },
      absence: { landingBoundMs: 80 },
    });
  });
});

describe('a configuration', () => {
  test.each([
    [{ variant: 'maybe' }, /variant must be one of unique, fenced, lookup; came "maybe"/],
    [{ variant: 'unique', lagMs: 1 }, /options of unique may hold .*; also came lagMs/],
    [{ variant: 'unique', clientTimeoutMs: 0 }, /clientTimeoutMs must be an integer from 20/],
    [{ variant: 'lookup', enforceBound: 'yes' }, /enforceBound must be true or false; came "yes"/],
  ])('%j is refused', (options, message) => {
    expect(() => create(options)).toThrow(message);
  });

  test('names what is wrong with credentials, and never shows the password', () => {
    const wrong: readonly JsonObject[] = [
      { ...credentials, user: 'secret-user' },
      { ...credentials, database: '' },
      { ...credentials, token: 'secret' },
      { user: 'u', database: 'd' },
    ];
    for (const one of wrong) {
      expect(() => create({ variant: 'unique' }, { credentials: one })).toThrow(
        /^(?!.*secret).*Postgres target: credentials/s,
      );
    }
  });

  test('of another protocol is refused', () => {
    expect(() =>
      create({ variant: 'unique' }, { endpoint: { ...endpoint, protocol: 'https' } }),
    ).toThrow(/endpoint.protocol must be postgres; came https/);
  });
});

describe('a request', () => {
  const request: JsonObject = {
    operation: 'credit',
    account: 'acc_1',
    reference: 'inv/7',
    amountMinor: 2000,
    currency: 'eur',
  };

  test('names its decision by account and reference, and not by what is credited', () => {
    const { identify } = create({ variant: 'unique' });
    const identity = {
      target: 'postgres',
      account: 'd',
      operation: 'credit',
      subject: 'acc_1/inv/7',
      keyFields: {},
    };
    expect(identify(request)).toEqual(identity);
    expect(identify({ ...request, amountMinor: 1, distinct: 'a' })).toEqual(identity);
  });

  test.each([
    ['operation', 'debit'],
    ['account', 'a/b'],
    ['account', 'a\0b'],
    ['account', '\ud800'],
    ['reference', ''],
    ['amountMinor', 20.5],
    ['amountMinor', -1],
    ['amountMinor', 2 ** 53],
    ['currency', 'EUR'],
    ['reason', 7],
    ['distinct', ''],
    ['iban', 'x'],
  ])('with %s of %j is invalid', async (field, value) => {
    const target = create({ variant: 'unique' });
    const wrong = { ...request, [field]: value };
    expect(() => target.identify(wrong)).toThrow(InvalidRequestError);
    expect(() => target.identify(wrong)).toThrow(field);
    expect(await target.apply({ key: 'k', request: wrong, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/^Nothing was sent/),
    });
  });

  test.each(['', 'a b', 'x'.repeat(256), 'ü'])('under the key %j is not sent', async (key) => {
    const target = create({ variant: 'unique' });
    expect(await target.apply({ key, request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/^Nothing was sent/),
    });
  });
});

describe.each(variants)('%s', (variant) => {
  const request = {
    operation: 'credit',
    account: 'acc_0001',
    reference: 'ref_1',
    amountMinor: 2000,
    currency: 'eur',
  };

  test('is unknown where nobody listens, and could not tell', async () => {
    const target = openTarget({ endpoint, credentials }, variant);
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'connection',
    });
    expect(await target.query({ key: 'k', request })).toMatchObject({ kind: 'could-not-tell' });
    await expect(target.capture(request)).rejects.toThrow(/could not be read/);
  });

  test('ends in time where the server says nothing', async () => {
    const silent = await openSilent(() => undefined);
    const target = openTarget({ endpoint: silent, credentials }, variant, { clientTimeoutMs: 100 });
    const beganMs = performance.now();
    const both = await Promise.all([
      target.apply({ key: 'k', request, attempt: 1 }),
      target.query({ key: 'k', request }),
    ]);
    expect(both).toMatchObject([{ kind: 'unknown', cause: 'timeout' }, { kind: 'could-not-tell' }]);
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  });

  test('is unknown where something else answers, and does not repeat the password', async () => {
    const echoing = await openSilent((socket) => {
      // An error in Postgres' own form, of whatever made it.
      const fields = 'SFATAL\0VFATAL\0C08P01\0Mno entry for secret\0\0';
      const message = Buffer.from(`E\0\0\0\0${fields}`);
      message.writeInt32BE(message.length - 1, 1);
      socket.end(message);
    });
    const target = openTarget({ endpoint: echoing, credentials }, variant);
    const result = await target.apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'server-error' });
    expect(JSON.stringify(result)).not.toContain('secret');
    const babbling = await openSilent((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const lost = openTarget({ endpoint: babbling, credentials }, variant);
    expect(await lost.apply({ key: 'k', request, attempt: 1 })).toMatchObject({ kind: 'unknown' });
  });

  test('is refused with a wrong password, which a person can mend', async () => {
    const namespace = await openNamespace();
    const wrong = { ...namespace.credentials, password: 'wrong' };
    const target = openTarget({ ...namespace, credentials: wrong }, variant);
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringMatching(/^Nothing was sent: 28P01/),
    });
  });

  test('keeps one connection, and opens another after it broke while nothing was asked', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace, variant);
    const { request: example } = namespace.examples(1);
    const first = entityOf(await target.apply({ key: 'a', request: example, attempt: 1 }));
    await namespace.world('rail-restarted', example);
    const second = entityOf(await target.apply({ key: 'b', request: example, attempt: 1 }));
    expect(second).not.toBe(first);
  });

  test('answers after close as one that has no connection', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace, variant);
    await target.close?.();
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      detail: expect.stringContaining('closed'),
    });
  });
});

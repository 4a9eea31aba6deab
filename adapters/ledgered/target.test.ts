import { describe, expect, test } from 'vitest';
import { InvalidRequestError, type JsonObject } from '../target.ts';
import { createTarget } from './target.ts';
import {
  httpReply,
  openAnsweringServer,
  openFenceTarget,
  openNamespace,
  openRawServer,
} from './testing/loopback.ts';

const request: JsonObject = {
  operation: 'post',
  account: 'acc_1',
  reference: 'ref_1',
  amountMinor: 2000,
  currency: 'eur',
};
const nowhere = { protocol: 'http', host: '127.0.0.1', port: 1 } as const;

function configure(changes: Partial<Parameters<typeof createTarget>[0]> = {}) {
  return createTarget({
    endpoint: nowhere,
    credentials: { token: 's3cret' },
    options: { variant: 'fence' },
    now: Date.now,
    ...changes,
  });
}

describe('configuration', () => {
  test('fence promises a lookup and a fence', () => {
    const target = configure({ options: { variant: 'fence', lagMs: 40, clientTimeoutMs: 150 } });
    expect(target.declaration).toEqual({
      dedupe: null,
      onceByState: false,
      guardsPremises: false,
      lookup: { lagMs: 40, seesDeletions: true },
      absence: 'fence',
      storedErrorFinal: false,
      noReturnMark: false,
      premises: ['value-equals', 'version-unchanged'],
      clientTimeoutMs: 150,
    });
    expect([target.query, target.fence]).not.toContain(undefined);
  });

  test('marked promises a mark of no return and nothing else', () => {
    const target = configure({ options: { variant: 'marked' } });
    expect(target.declaration).toEqual({
      dedupe: null,
      onceByState: false,
      guardsPremises: false,
      lookup: null,
      absence: 'never',
      storedErrorFinal: false,
      noReturnMark: true,
      premises: ['value-equals', 'version-unchanged'],
      clientTimeoutMs: 30_000,
    });
    expect([target.query, target.fence]).toEqual([undefined, undefined]);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['no variant', {}, /variant must be one of fence, marked; came undefined/],
    ['an unknown option', { variant: 'fence', retries: 3 }, /also came retries/],
    ['a lag of marked', { variant: 'marked', lagMs: 3 }, /also came lagMs/],
    ['a timeout of 0', { variant: 'marked', clientTimeoutMs: 0 }, /integer from 1/],
    ['a negative lag', { variant: 'fence', lagMs: -1 }, /integer from 0/],
  ])('%s is an error that says what to do', (_, options, message) => {
    expect(() => configure({ options })).toThrow(message);
  });

  test.each<[string, JsonObject]>([
    ['no token', {}],
    ['a token with a line break', { token: 's3cret\n' }],
    ['a ledger that holds the token', { token: 's3cret', ledger: 's3cret' }],
    ['an unknown credential', { token: 's3cret', secret: 's3cret' }],
  ])('%s is an error that does not hold the token', (_, credentials) => {
    expect(() => configure({ credentials })).toThrow(/^(?!.*s3cret).*$/s);
  });

  test('an endpoint that contradicts itself is an error', () => {
    expect(() => configure({ endpoint: { ...nowhere, protocol: 'tcp' } })).toThrow(/came tcp/);
    expect(() => configure({ endpoint: { ...nowhere, caPem: 'PEM' } })).toThrow(/caPem/);
  });
});

describe('identity', () => {
  test('is account and reference at the ledger; amount, currency and approval are no part of it', () => {
    const target = configure({ credentials: { token: 's3cret', ledger: 'led_1' } });
    const identity = {
      target: 'ledgered',
      account: 'led_1',
      operation: 'post',
      subject: 'acc_1/ref_1',
      keyFields: {},
    };
    expect(target.identify(request)).toEqual(identity);
    expect(
      target.identify({ ...request, amountMinor: 1, currency: 'usd', distinct: 'approval-7' }),
    ).toEqual(identity);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['a float', { ...request, amountMinor: 20.5 }, /came 20\.5/],
    ['zero', { ...request, amountMinor: 0 }, /came 0/],
    ['an unknown field', { ...request, memo: 'x' }, /also came memo/],
    ['another operation', { ...request, operation: 'pay' }, /came "pay"/],
    ['an account with a slash', { ...request, account: 'acc_1/ref_1' }, /account/],
    ['no reference', { ...request, reference: '' }, /reference/],
    ['a currency in capitals', { ...request, currency: 'EUR' }, /lower case/],
    ['an empty approval', { ...request, distinct: '' }, /distinct/],
  ])('%s is an invalid request', (_, invalid, message) => {
    const identify = () => configure().identify(invalid);
    expect(identify).toThrow(InvalidRequestError);
    expect(identify).toThrow(message);
  });
});

describe('apply', () => {
  test('posts one entry under the key, with one request', async () => {
    const namespace = await openNamespace();
    const result = await openFenceTarget(namespace).apply({ key: 'a/b é', request, attempt: 1 });
    const effects = await namespace.effects();
    expect(effects).toEqual([
      {
        entityId: expect.stringMatching(/^ent_/),
        stamp: 'a/b é',
        actor: 'subject',
        subject: 'acc_1/ref_1',
        substance: { amountMinor: 2000, currency: 'eur' },
        atMs: expect.any(Number),
      },
    ]);
    expect(result).toEqual({ kind: 'landed', entityId: effects[0]?.entityId, stamp: 'a/b é' });
    expect(namespace.requests()).toEqual([{ method: 'POST', path: '/entries', actor: 'subject' }]);
  });

  test.each<[string, string, JsonObject]>([
    ['an empty key', '', request],
    ['a key of 201 characters', 'k'.repeat(201), request],
    ['a float', 'k', { ...request, amountMinor: 0.5 }],
  ])('%s is refused with nothing sent', async (_, key, invalid) => {
    const server = await openRawServer((socket) => socket.destroy());
    expect(
      await openFenceTarget(server).apply({ key, request: invalid, attempt: 1 }),
    ).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/^Nothing was sent/),
    });
    expect(server.received).toEqual([]);
  });

  const said = (code: string) => ({ error: { code, message: 'no, raw-token' } });
  test.each<[string, string, JsonObject]>([
    ['a 401', httpReply(401, said('unauthorized')), { kind: 'refused', mendable: true }],
    ['a 403', httpReply(403, said('forbidden')), { kind: 'refused', mendable: true }],
    ['a 429', httpReply(429, said('rate_limited')), { kind: 'refused', mendable: true }],
    ['a 412', httpReply(412, said('fenced')), { kind: 'refused', mendable: true }],
    ['a 400', httpReply(400, said('invalid')), { kind: 'refused', mendable: false }],
    ['a 500', httpReply(500, said('internal')), { kind: 'unknown', cause: 'server-error' }],
    ['a 409 nobody documents', httpReply(409, said('x')), { kind: 'unknown' }],
    ["a gateway's 403", httpReply(403, '<html>'), { kind: 'unknown', cause: 'unreadable' }],
    ["a gateway's 503", httpReply(503, '<html>'), { kind: 'unknown', cause: 'server-error' }],
    ['a 200 instead of 201', httpReply(200, { entry: 'e', id: 'k' }), { kind: 'unknown' }],
    ['a 201 without an entry', httpReply(201, {}), { kind: 'unknown', cause: 'unreadable' }],
    ['a 201 cut short', httpReply(201, { entry: 'e', id: 'k' }).slice(0, -3), { kind: 'unknown' }],
    ['no HTTP', '220 ready\r\n', { kind: 'unknown', cause: 'unreadable' }],
    ['a close', '', { kind: 'unknown', cause: 'connection' }],
    [
      "another decision's entry",
      httpReply(201, { entry: 'e', id: 'theirs' }),
      { kind: 'landed', entityId: 'e', stamp: 'theirs' },
    ],
  ])('%s', async (_, reply, expected) => {
    const server = await openAnsweringServer(reply);
    const result = await openFenceTarget(server).apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject(expected);
    expect(JSON.stringify(result)).not.toContain('raw-token');
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatch(/connection: close/i);
  });

  test('one deadline covers the fence that is read and the entry that is posted', async () => {
    const fence = httpReply(200, { id: 'k', fence: null });
    const server = await openRawServer((socket, text) => {
      if (text.startsWith('GET')) setTimeout(() => socket.end(fence), 60);
    });
    const began = performance.now();
    const target = openFenceTarget(server, { clientTimeoutMs: 100 });
    expect(await target.apply({ key: 'k', request, attempt: 2 })).toMatchObject({
      kind: 'unknown',
      cause: 'timeout',
    });
    expect(performance.now() - began).toBeLessThan(155);
    expect(server.received).toHaveLength(2);
  });

  test('close ends what is under way', async () => {
    const target = openFenceTarget(
      await openRawServer(() => {
        void target.close?.();
      }),
    );
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'connection',
    });
  });
});

describe('what could not be told', () => {
  const ours = { entry: 'e', id: 'k' };
  const whole = { id: 'k', fence: { version: 1, taken: false }, entries: [], hasMore: false };
  test.each<[string, string]>([
    ['a 401', httpReply(401, { error: { code: 'unauthorized', message: 'raw-token' } })],
    ['a 500', httpReply(500, { error: { code: 'internal', message: 'no' } })],
    ['a 404', httpReply(404, { error: { code: 'not_found', message: 'no' } })],
    ['a page of HTML', httpReply(200, '<html>')],
    ['entries of another id', httpReply(200, { ...whole, entries: [{ ...ours, id: 'x' }] })],
    ['an answer about another id', httpReply(200, { ...whole, id: 'x' })],
    ['an empty answer that claims more', httpReply(200, { ...whole, hasMore: true })],
    ['an answer cut short', httpReply(200, whole).slice(0, -2)],
    ['a close', ''],
  ])('%s, by lookup and by fence', async (_, reply) => {
    const server = await openAnsweringServer(reply);
    const target = openFenceTarget(server);
    for (const result of [
      await target.query({ key: 'k', request }),
      await target.fence({ key: 'k', request }),
    ]) {
      expect(result).toMatchObject({ kind: 'could-not-tell' });
      expect(JSON.stringify(result)).not.toContain('raw-token');
    }
    expect(server.received).toHaveLength(2);
  });

  test.each<[string, JsonObject]>([
    ['no fence and no entry', { ...whole, fence: null }],
    ['a fence that was taken, and no entry', { ...whole, fence: { version: 1, taken: true } }],
    ['a fence without a version', { ...whole, fence: { taken: false } }],
  ])('%s, by fence', async (_, body) => {
    const server = await openAnsweringServer(httpReply(200, body));
    expect(await openFenceTarget(server).fence({ key: 'k', request })).toMatchObject({
      kind: 'could-not-tell',
    });
  });

  test('silence', async () => {
    const target = openFenceTarget(await openRawServer(() => undefined), { clientTimeoutMs: 60 });
    expect(await target.query({ key: 'k', request })).toMatchObject({ kind: 'could-not-tell' });
    expect(await target.fence({ key: 'k', request })).toMatchObject({ kind: 'could-not-tell' });
  });
});

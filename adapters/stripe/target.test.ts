import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../target.ts';
import { InvalidRequestError } from '../target.ts';
import type { StripeFault } from './rail.ts';
import { createTarget } from './target.ts';
import {
  httpReply,
  openNamespace,
  openRawServer,
  openReplyLosingProxy,
  openSdk,
  openTarget,
  openTlsProxy,
} from './testing/loopback.ts';

const refund: JsonObject = {
  operation: 'refund',
  paymentIntent: 'pi_1',
  amountMinor: 2000,
  currency: 'usd',
};
const nowhere = { protocol: 'http', host: '127.0.0.1', port: 1 } as const;
const testKey = 'sk_test_4f1c';

function configure(changes: {
  readonly credentials?: JsonObject;
  readonly options?: JsonObject;
  readonly endpoint?: Parameters<typeof createTarget>[0]['endpoint'];
}) {
  return createTarget({
    endpoint: nowhere,
    credentials: { apiKey: testKey },
    options: { variant: 'keyed' },
    now: Date.now,
    ...changes,
  });
}

describe('configuration', () => {
  test('keyed promises deduplication for 24 hours and nothing else', () => {
    expect(configure({ options: { variant: 'keyed' } }).declaration).toEqual({
      dedupe: { windowMs: 86_400_000 },
      onceByState: false,
      guardsPremises: false,
      lookup: null,
      absence: 'never',
      storedErrorFinal: false,
      noReturnMark: false,
      premises: ['value-equals', 'version-unchanged'],
      clientTimeoutMs: 80_000,
    });
  });

  test('blind promises nothing', () => {
    const options = { variant: 'blind', clientTimeoutMs: 150 };
    const target = configure({ options });
    expect(target.declaration).toMatchObject({
      dedupe: null,
      lookup: null,
      clientTimeoutMs: 150,
    });
    expect(target.query).toBeUndefined();
    expect(target.fence).toBeUndefined();
  });

  test('lookup promises to find what landed after a lag, and what did not land after a bound', () => {
    const options = { variant: 'lookup', lagMs: 40, landingBoundMs: 80 };
    const target = configure({ options });
    expect(target.declaration).toMatchObject({
      dedupe: null,
      lookup: { lagMs: 40, seesDeletions: true },
      absence: { landingBoundMs: 80 },
    });
    expect(target.query).toBeTypeOf('function');
    expect(target.fence).toBeUndefined();
    expect(configure({ options: { variant: 'lookup' } }).declaration).toMatchObject({
      lookup: { lagMs: 5_000 },
      absence: { landingBoundMs: 120_000 },
    });
  });

  test('unbounded promises to find what landed and never that nothing will', () => {
    expect(configure({ options: { variant: 'unbounded', lagMs: 40 } }).declaration).toMatchObject({
      dedupe: null,
      lookup: { lagMs: 40, seesDeletions: true },
      absence: 'never',
    });
  });

  test.each<[string, JsonObject, RegExp]>([
    ['no variant', {}, /variant must be one of keyed, blind, lookup, unbounded; came undefined/],
    ['an unknown variant', { variant: 'sure' }, /came "sure"/],
    ['a lag of keyed', { variant: 'keyed', lagMs: 1 }, /options of keyed .* came lagMs/],
    [
      'a bound of unbounded',
      { variant: 'unbounded', landingBoundMs: 1 },
      /options of unbounded .* came landingBoundMs/,
    ],
    ['a negative lag', { variant: 'lookup', lagMs: -1 }, /lagMs must be an integer from 0/],
    ['a page of 101', { variant: 'lookup', pageSize: 101 }, /from 1 to 100; came 101/],
    ['an unknown option', { variant: 'keyed', retries: 3 }, /also came retries/],
    ['a timeout of 0', { variant: 'keyed', clientTimeoutMs: 0 }, /from 1 to 2147483647; came 0/],
    ['a timeout past 31 bits', { variant: 'keyed', clientTimeoutMs: 2 ** 31 }, /came 2147483648/],
    ['allowLive as text', { variant: 'keyed', allowLive: 'yes' }, /true or false/],
  ])('%s is an error that says what to do', (_, options, message) => {
    expect(() => configure({ options })).toThrow(message);
  });

  test('an endpoint that contradicts itself is an error', () => {
    expect(() => configure({ endpoint: { ...nowhere, protocol: 'tcp' } })).toThrow(/came tcp/);
    expect(() => configure({ endpoint: { ...nowhere, caPem: 'PEM' } })).toThrow(/caPem/);
  });

  test.each(['sk_live_s3cret', 'rk_live_s3cret', 'sk_org_live_s3cret', 's3cret'])(
    'the key %s is refused unless live keys are allowed, and the message does not hold it',
    (apiKey) => {
      let message = '';
      try {
        configure({ credentials: { apiKey } });
      } catch (error) {
        message = String(error);
      }
      expect(message).toMatch(/allowLive: true/);
      expect(message).not.toContain('s3cret');
      const options = { variant: 'keyed', allowLive: true };
      expect(configure({ credentials: { apiKey }, options }).name).toBe('stripe');
    },
  );

  test('a missing key and unknown credentials are errors', () => {
    expect(() => configure({ credentials: {} })).toThrow(/apiKey/);
    expect(() => configure({ credentials: { apiKey: testKey, secret: 'x' } })).toThrow(/secret/);
    expect(() => configure({ credentials: { apiKey: testKey, account: testKey } })).toThrow(
      /account/,
    );
  });
});

describe('identity', () => {
  test('is the payment at the account; amount, currency and approval are no part of it', () => {
    const target = configure({ credentials: { apiKey: testKey, account: 'acct_1' } });
    const identity = {
      target: 'stripe',
      account: 'acct_1',
      operation: 'refund',
      subject: 'pi_1',
      keyFields: {},
    };
    expect(target.identify(refund)).toEqual(identity);
    expect(
      target.identify({ ...refund, amountMinor: 1, currency: 'eur', distinct: 'approval-7' }),
    ).toEqual(identity);
  });

  test('never holds the key or where the service was reached', () => {
    const identity = JSON.stringify(configure({}).identify(refund));
    expect(identity).not.toContain(testKey);
    expect(JSON.parse(identity).account).toBe('default');
  });

  const { paymentIntent: _, ...withoutPayment } = refund;
  test.each<[string, JsonObject, RegExp]>([
    ['a float', { ...refund, amountMinor: 20.5 }, /positive integer in minor units; came 20\.5/],
    ['a negative amount', { ...refund, amountMinor: -1 }, /came -1/],
    ['zero', { ...refund, amountMinor: 0 }, /came 0/],
    ['an amount as text', { ...refund, amountMinor: '2000' }, /came "2000"/],
    ['an amount beyond exact integers', { ...refund, amountMinor: 2 ** 53 }, /integer/],
    ['an unknown field', { ...refund, amount: 5 }, /also came amount/],
    ['a missing payment', withoutPayment, /paymentIntent must be .* came nothing/],
    ['a charge as payment', { ...refund, paymentIntent: 'ch_1' }, /came "ch_1"/],
    ['another operation', { ...refund, operation: 'charge' }, /came "charge"/],
    ['a currency in capitals', { ...refund, currency: 'USD' }, /lower case/],
    ['a free-text reason', { ...refund, reason: 'late' }, /one of duplicate/],
    ['an empty approval', { ...refund, distinct: '' }, /distinct/],
  ])('%s is an invalid request', (_, request, message) => {
    const identify = () => configure({}).identify(request);
    expect(identify).toThrow(InvalidRequestError);
    expect(identify).toThrow(message);
  });
});

describe('apply', () => {
  test('makes one refund of the amount under the key, stamped with it', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const result = await openTarget(namespace).apply({ key: 'key-1', request, attempt: 1 });
    const effects = await namespace.effects();
    expect(effects).toEqual([
      {
        entityId: expect.stringMatching(/^re_/),
        stamp: 'key-1',
        actor: 'subject',
        subject: request.paymentIntent,
        substance: { amountMinor: request.amountMinor, currency: 'usd' },
        atMs: expect.any(Number),
      },
    ]);
    expect(result).toEqual({ kind: 'landed', entityId: effects[0]?.entityId, stamp: 'key-1' });
    expect(namespace.requests()).toEqual([
      { method: 'POST', path: '/v1/refunds', idempotencyKey: 'key-1', actor: 'subject' },
    ]);
  });

  test('sends the reason when there is one', async () => {
    const server = await openRawServer((socket) => socket.destroy());
    const request = { ...refund, reason: 'duplicate' };
    await openTarget(server).apply({ key: 'k', request, attempt: 1 });
    expect(server.requests[0]).toContain('reason=duplicate');
  });

  test('says what stamp the answer carries, whoever it is of', async () => {
    const body = JSON.stringify({ id: 're_9', object: 'refund', metadata: { decision_key: 'x' } });
    const server = await openRawServer((socket) => socket.end(httpReply(200, body)));
    expect(await openTarget(server).apply({ key: 'k', request: refund, attempt: 1 })).toEqual({
      kind: 'landed',
      entityId: 're_9',
      stamp: 'x',
    });
  });

  test('an answer without a stamp has the stamp null', async () => {
    const body = JSON.stringify({ id: 're_9', object: 'refund', metadata: {} });
    const server = await openRawServer((socket) => socket.end(httpReply(200, body)));
    expect(await openTarget(server).apply({ key: 'k', request: refund, attempt: 1 })).toMatchObject(
      { stamp: null },
    );
  });

  test.each<[string, string, JsonObject]>([
    ['a key of 256 characters', 'k'.repeat(256), refund],
    ['an empty key', '', refund],
    ['a float', 'k', { ...refund, amountMinor: 0.5 }],
  ])('%s is refused with nothing sent', async (_, key, request) => {
    const server = await openRawServer((socket) => socket.destroy());
    expect(await openTarget(server).apply({ key, request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/^Nothing was sent/),
    });
    expect(server.requests).toEqual([]);
  });
});

describe('one request on the wire', () => {
  test('a reset after the refund was made is one request, where the bare SDK sends two', async () => {
    const namespace = await openNamespace({ ignoreKeys: true });
    const { request } = namespace.examples(1);
    const endpoint = await openReplyLosingProxy(namespace.endpoint);

    const target = openTarget({ ...namespace, endpoint });
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'connection',
    });
    expect(namespace.requests()).toHaveLength(1);
    expect(await namespace.effects()).toHaveLength(1);

    const sdk = openSdk({ endpoint }, namespace.credentials);
    await expect(
      sdk.refunds.create({ payment_intent: String(request.paymentIntent), amount: 1 }),
    ).rejects.toThrow();
    expect(namespace.requests()).toHaveLength(3);
    expect(await namespace.effects()).toHaveLength(3);
  });

  test('every call has a connection of its own', async () => {
    const server = await openRawServer((socket) => socket.end(httpReply(500, '{}')));
    await openTarget(server).apply({ key: 'k', request: refund, attempt: 1 });
    expect(server.requests[0]).toMatch(/connection: close/i);
  });

  test('no telemetry leaves', async () => {
    const server = await openRawServer((socket) => socket.end(httpReply(500, '{}')));
    const target = openTarget(server);
    await target.apply({ key: 'k', request: refund, attempt: 1 });
    await target.apply({ key: 'k', request: refund, attempt: 2 });
    expect(server.requests).toHaveLength(2);
    for (const request of server.requests) expect(request).not.toMatch(/client-telemetry/i);
  });
});

describe('what the service says', () => {
  test.each<[string, StripeFault, JsonObject]>([
    ['a 401', { kind: 'refused', status: 401 }, { kind: 'refused', mendable: true }],
    ['a 403', { kind: 'forbidden' }, { kind: 'refused', mendable: true }],
    ['a rate limit', { kind: 'refused', status: 429 }, { kind: 'refused', mendable: true }],
    ['lock_timeout', { kind: 'lock-timeout' }, { kind: 'refused', mendable: true }],
    [
      'a 500 that is stored',
      { kind: 'stored-error', landed: true },
      { kind: 'unknown', cause: 'server-error' },
    ],
    [
      'a key said to be in use',
      { kind: 'in-flight-conflict', times: 1 },
      { kind: 'unknown', cause: 'in-flight' },
    ],
  ])('%s', async (_, fault, expected) => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const fired: string[] = [];
    namespace.arm(fault, () => fired.push(fault.kind));
    const result = await openTarget(namespace).apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject(expected);
    expect(fired).toEqual([fault.kind]);
    expect(JSON.stringify(result)).not.toContain(namespace.credentials.apiKey);
  });

  test('a stored 500 that is replayed is a stored error', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const target = openTarget(namespace);
    namespace.arm({ kind: 'stored-error', landed: false }, () => undefined);
    await target.apply({ key: 'k', request, attempt: 1 });
    expect(await target.apply({ key: 'k', request, attempt: 2 })).toMatchObject({
      kind: 'unknown',
      cause: 'stored-error',
    });
    expect(await namespace.effects()).toEqual([]);
  });

  test('the same key while its first request is worked on is in flight', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const target = openTarget(namespace);
    const held = namespace.hold();
    const first = target.apply({ key: 'k', request, attempt: 1 });
    await held.reached;
    expect(await target.apply({ key: 'k', request, attempt: 2 })).toMatchObject({
      kind: 'unknown',
      cause: 'in-flight',
    });
    held.release();
    expect(await first).toMatchObject({ kind: 'landed' });
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('a payment that is not there is a refusal nobody can lift', async () => {
    const namespace = await openNamespace();
    expect(
      await openTarget(namespace).apply({ key: 'k', request: refund, attempt: 1 }),
    ).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/No such payment_intent/),
    });
  });

  test('too much and nothing left are refusals nobody can lift', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const target = openTarget(namespace);
    const tooMuch = { ...request, amountMinor: 1_000_001 };
    expect(await target.apply({ key: 'a', request: tooMuch, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/greater than unrefunded amount/),
    });
    const all = { ...request, amountMinor: 1_000_000 };
    expect(await target.apply({ key: 'b', request: all, attempt: 1 })).toMatchObject({
      kind: 'landed',
    });
    expect(await target.apply({ key: 'c', request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/charge_already_refunded/),
    });
  });

  test('a key first used with other parameters is refused, and the reason says so', async () => {
    const namespace = await openNamespace();
    const { request, changed } = namespace.examples(1);
    const target = openTarget(namespace);
    await target.apply({ key: 'k', request, attempt: 1 });
    expect(await target.apply({ key: 'k', request: changed, attempt: 2 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringMatching(/first used with other parameters/),
    });
    expect(await namespace.effects()).toHaveLength(1);
  });

  const said = (type: string, code?: string) => JSON.stringify({ error: { type, code } });
  test.each<[string, string, JsonObject]>([
    [
      'a card error',
      httpReply(402, said('card_error', 'card_declined')),
      { kind: 'refused', mendable: false },
    ],
    [
      'a rate limit told as 400',
      httpReply(400, said('invalid_request_error', 'rate_limit')),
      { kind: 'refused', mendable: true },
    ],
    [
      'an in-flight 409 without its code',
      httpReply(409, said('idempotency_error')),
      { kind: 'unknown', cause: 'in-flight' },
    ],
    [
      'any other 409',
      httpReply(409, said('invalid_request_error')),
      { kind: 'unknown', cause: 'server-error' },
    ],
    [
      'a status nobody documents',
      httpReply(418, said('invalid_request_error')),
      { kind: 'unknown', cause: 'server-error' },
    ],
    ['a 502', httpReply(502, said('api_error')), { kind: 'unknown', cause: 'server-error' }],
    [
      'a 503 with a page of HTML',
      httpReply(503, '<html>'),
      { kind: 'unknown', cause: 'server-error' },
    ],
    [
      'a 200 with a page of HTML',
      httpReply(200, '<html>'),
      { kind: 'unknown', cause: 'unreadable' },
    ],
    ['a 200 of true', httpReply(200, 'true'), { kind: 'unknown', cause: 'unreadable' }],
    ['a 200 of "ok"', httpReply(200, '"ok"'), { kind: 'unknown', cause: 'unreadable' }],
    ['a 200 of null', httpReply(200, 'null'), { kind: 'unknown', cause: 'unreadable' }],
    ['a 200 of a list', httpReply(200, '[]'), { kind: 'unknown', cause: 'unreadable' }],
    ['an empty 200', httpReply(200, ''), { kind: 'unknown', cause: 'unreadable' }],
    ['a 200 that is an error', httpReply(200, said('card_error')), { kind: 'unknown' }],
    [
      'a 200 of another object',
      httpReply(200, '{"id":"ch_1","object":"charge"}'),
      { kind: 'unknown', cause: 'unreadable' },
    ],
    [
      'a refund under another status',
      httpReply(302, '{"id":"re_1","object":"refund"}'),
      { kind: 'unknown', cause: 'unreadable' },
    ],
    ["a gateway's 403 in HTML", httpReply(403, '<html>'), { kind: 'unknown', cause: 'unreadable' }],
    [
      "a gateway's 403 in JSON",
      httpReply(403, '{"message":"Forbidden"}'),
      { kind: 'unknown', cause: 'unreadable' },
    ],
    [
      "a gateway's 401 with an error of its own",
      httpReply(401, '{"error":"denied"}'),
      { kind: 'unknown', cause: 'unreadable' },
    ],
    [
      'an error that is a number',
      httpReply(400, '{"error":7}'),
      { kind: 'unknown', cause: 'unreadable' },
    ],
  ])('%s', async (_, reply, expected) => {
    const server = await openRawServer((socket) => socket.end(reply));
    const result = await openTarget(server).apply({ key: 'k', request: refund, attempt: 1 });
    expect(result).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });

  test('a key that a server echoes does not reach the result', async () => {
    const body = JSON.stringify({
      error: { type: 'invalid_request_error', message: 'bad key sk_test_raw' },
    });
    const server = await openRawServer((socket) => socket.end(httpReply(401, body)));
    const result = await openTarget(server).apply({ key: 'k', request: refund, attempt: 1 });
    expect(result).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/bad key \[key\]/),
    });
  });
});

describe('no whole answer', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"id":"re_1",';
  test.each<[string, (socket: Socket) => void, string]>([
    ['closed without a word', (socket) => socket.end(), 'connection'],
    ['reset', (socket) => socket.resetAndDestroy(), 'connection'],
    ['a 200 cut off in its body', (socket) => socket.end(head), 'unreadable'],
    [
      'a 200 reset in its body',
      (socket) => socket.write(head, () => socket.resetAndDestroy()),
      'unreadable',
    ],
    ['not HTTP', (socket) => socket.end('220 ready\r\n'), 'unreadable'],
  ])('%s is unknown', async (_, reply, cause) => {
    const server = await openRawServer(reply);
    const result = await openTarget(server).apply({ key: 'k', request: refund, attempt: 1 });
    expect(result).toMatchObject({ kind: 'unknown', cause });
    expect(server.requests).toHaveLength(1);
  });

  test('a port nobody listens on is unknown', async () => {
    const result = await configure({}).apply({ key: 'k', request: refund, attempt: 1 });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'connection' });
  });

  test('silence ends at the client timeout', async () => {
    const server = await openRawServer(() => undefined);
    const target = openTarget(server, { clientTimeoutMs: 60 });
    const result = await target.apply({ key: 'k', request: refund, attempt: 1 });
    expect(result).toMatchObject({ kind: 'unknown', cause: 'timeout' });
    expect(server.requests).toHaveLength(1);
  });

  test('an answer that trickles ends at the client timeout too', async () => {
    const server = await openRawServer((socket) => {
      socket.write(httpReply(200, ' '.repeat(100_000)).slice(0, 60));
      const trickle = setInterval(() => socket.write(' '), 10);
      socket.on('close', () => clearInterval(trickle));
    });
    const target = openTarget(server, { clientTimeoutMs: 100 });
    expect(await target.apply({ key: 'k', request: refund, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'timeout',
    });
  });

  test('close ends what is under way', async () => {
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await openRawServer(() => arrived?.());
    const target = openTarget(server);
    const result = target.apply({ key: 'k', request: refund, attempt: 1 });
    await arrival;
    await target.close?.();
    expect(await result).toMatchObject({ kind: 'unknown', cause: 'connection' });
  });
});

describe('https', () => {
  test('a certificate of the given authority is believed', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const endpoint = await openTlsProxy(namespace.endpoint);
    const target = openTarget({ ...namespace, endpoint });
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({ kind: 'landed' });
  });

  test('a certificate of any other authority is not, and nothing is sent', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const { caPem: _, ...withoutCa } = await openTlsProxy(namespace.endpoint);
    const { caPem } = await openTlsProxy(namespace.endpoint);
    for (const endpoint of [withoutCa, { ...withoutCa, caPem }]) {
      const target = openTarget({ ...namespace, endpoint });
      expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
        kind: 'unknown',
        cause: 'connection',
      });
    }
    expect(namespace.requests()).toEqual([]);
  });
});

describe('premises', () => {
  test('hold while only our own refund was made, and not after somebody else refunded', async () => {
    const namespace = await openNamespace();
    const { request, lookAlike } = namespace.examples(1);
    const target = openTarget(namespace);
    const premises = await target.capture(request);
    const payment = String(request.paymentIntent);
    expect(premises).toContainEqual({
      kind: 'value-equals',
      fact: `${payment}.amountRefunded`,
      value: 0,
    });
    expect(premises).toContainEqual({
      kind: 'value-equals',
      fact: `${payment}.amountReceived`,
      value: 1_000_000,
    });
    await target.apply({ key: 'ours', request, attempt: 1 });
    expect(await target.validate(request, premises, 'ours')).toEqual({ kind: 'hold' });
    const person = openSdk(namespace, namespace.personCredentials);
    await person.refunds.create({
      payment_intent: payment,
      amount: Number(lookAlike.amountMinor),
    });
    expect(await target.validate(request, premises, 'ours')).toEqual({
      kind: 'stale',
      fact: `${payment}.amountRefunded`,
      expected: 0,
      found: lookAlike.amountMinor,
    });
  });

  test('count every page of refunds', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const payment = String(request.paymentIntent);
    const person = openSdk(namespace, namespace.personCredentials);
    for (let made = 0; made < 205; made += 1) {
      await person.refunds.create({ payment_intent: payment, amount: 2 });
    }
    expect(await openTarget(namespace).capture(request)).toContainEqual({
      kind: 'value-equals',
      fact: `${payment}.amountRefunded`,
      value: 410,
    });
  });

  test('an amount in another currency than the payment is an invalid request', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    await expect(openTarget(namespace).capture({ ...request, currency: 'jpy' })).rejects.toThrow(
      /currency must be that of payment pi_\w+, usd; came jpy/,
    );
  });

  test('that cannot be read hold as little as they fail', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const target = openTarget(namespace);
    const premises = await target.capture(request);
    namespace.arm({ kind: 'lookup-error', how: 401 }, () => undefined);
    expect(await target.validate(request, premises, 'k')).toMatchObject({ kind: 'could-not-tell' });
    namespace.arm({ kind: 'lookup-error', how: 401 }, () => undefined);
    await expect(target.capture(request)).rejects.toThrow(/Expected to read payment/);
  });

  test('of another target could not be told', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const foreign = { kind: 'version-unchanged', fact: 'weather', value: 1 } as const;
    expect(await openTarget(namespace).validate(request, [foreign], 'k')).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/weather/),
    });
  });

  test('that are none hold without a request', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    expect(await openTarget(namespace).validate(request, [], 'k')).toEqual({ kind: 'hold' });
    expect(namespace.requests()).toEqual([]);
  });
});

import Stripe from 'stripe';
import { expect, test } from 'vitest';
import type { StripeFault, StripeRailNamespace } from './rail.ts';
import { failureOf, openNamespace, openSdk } from './testing/loopback.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** The official SDK against a fresh account, and a refund of 20.00 of its one payment. */
async function openAccount(options = {}) {
  const namespace = await openNamespace(options);
  const payment = String(namespace.examples(1).request.paymentIntent);
  const sdk = openSdk(namespace, namespace.credentials);
  const refund = (idempotencyKey: string, amount = 2000) =>
    sdk.refunds.create({ payment_intent: payment, amount }, { idempotencyKey });
  return { namespace, payment, sdk, refund };
}

async function countRefunds(namespace: StripeRailNamespace): Promise<number> {
  return (await namespace.effects()).length;
}

test('a repeated key gets the first answer again, marked as replayed, and makes no second refund', async () => {
  const { namespace, refund } = await openAccount();
  const first = await refund('k');
  const second = await refund('k');
  expect(second).toEqual(first);
  expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect(await countRefunds(namespace)).toBe(1);
});

test('another key makes another refund of the same substance', async () => {
  const { namespace, refund } = await openAccount();
  expect((await refund('a')).id).not.toBe((await refund('b')).id);
  expect(await countRefunds(namespace)).toBe(2);
});

test('parameters in another order are the same parameters', async () => {
  const { namespace, payment, sdk } = await openAccount();
  const options = { idempotencyKey: 'k' };
  await sdk.refunds.create(
    { payment_intent: payment, amount: 1, metadata: { a: 1, b: 2 } },
    options,
  );
  await sdk.refunds.create(
    { metadata: { b: 2, a: 1 }, amount: 1, payment_intent: payment },
    options,
  );
  expect(await countRefunds(namespace)).toBe(1);
});

test('the key is ignored on a GET', async () => {
  const { sdk, refund } = await openAccount();
  const { id } = await refund('k');
  const read = await sdk.refunds.retrieve(id, {}, { idempotencyKey: 'k' });
  expect(read.id).toBe(id);
  expect(read.lastResponse.headers['idempotent-replayed']).toBeUndefined();
});

test('a key of 255 characters is taken and one of 256 is refused', async () => {
  const { namespace, refund } = await openAccount();
  await refund('k'.repeat(255));
  const failure = await failureOf(refund('k'.repeat(256)));
  expect(failure.statusCode).toBe(400);
  expect(await countRefunds(namespace)).toBe(1);
});

test('a key is still known just before 24 hours, and at 24 hours and a second it executes again', async () => {
  const { namespace, refund } = await openAccount();
  const { id } = await refund('k');
  namespace.setClock(dayMs - 60_000);
  expect((await refund('k')).id).toBe(id);
  namespace.setClock(dayMs + 1000);
  expect((await refund('k')).id).not.toBe(id);
  expect(await countRefunds(namespace)).toBe(2);
});

test('the 24 hours count from the first request, however often it was repeated', async () => {
  const { namespace, refund } = await openAccount();
  const { id } = await refund('k');
  namespace.setClock(dayMs / 2);
  await refund('k');
  namespace.setClock(dayMs + 1000);
  expect((await refund('k')).id).not.toBe(id);
});

test('a pruned key is new for other parameters too', async () => {
  const { namespace, refund } = await openAccount();
  await refund('k', 2000);
  namespace.setClock(dayMs + 1000);
  expect((await refund('k', 3000)).amount).toBe(3000);
});

test('the same key with other parameters is a 400 idempotency_error without a code', async () => {
  const { namespace, refund } = await openAccount();
  await refund('k', 2000);
  const failure = await failureOf(refund('k', 3000));
  expect(failure).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
  expect(failure.statusCode).toBe(400);
  expect(failure.rawType).toBe('idempotency_error');
  expect(failure.code).toBeUndefined();
  expect(failure.message).toMatch(
    /^Keys for idempotent requests can only be used with the same parameters they were first used with\./,
  );
  expect(await countRefunds(namespace)).toBe(1);
});

test('a mismatch leaves the stored answer as it was', async () => {
  const { refund } = await openAccount();
  const { id } = await refund('k', 2000);
  await failureOf(refund('k', 3000));
  expect((await refund('k', 2000)).id).toBe(id);
});

test('the same key at another endpoint is told in other words', async () => {
  const { sdk, refund } = await openAccount();
  await refund('k');
  const failure = await failureOf(sdk.customers.create({}, { idempotencyKey: 'k' }));
  expect(failure.rawType).toBe('idempotency_error');
  expect(failure.message).toContain(
    "can only be used for the same endpoint they were first used for ('/v1/customers' vs '/v1/refunds')",
  );
});

test('the same key in flight is a 409 idempotency_key_in_use, which the SDK raises as StripeAPIError', async () => {
  const { namespace, refund } = await openAccount();
  const held = namespace.hold();
  const first = refund('k');
  await held.reached;
  expect(namespace.idle?.()).toBe(false);
  const failure = await failureOf(refund('k'));
  expect(failure.statusCode).toBe(409);
  expect(failure.code).toBe('idempotency_key_in_use');
  expect(failure.type).toBe('StripeAPIError');
  expect(failure.message).toMatch(/^There is currently another in-progress request .*: k\./);
  held.release();
  expect((await first).object).toBe('refund');
});

test('the 409 is not stored: the first answer is what a later repeat gets', async () => {
  const { namespace, refund } = await openAccount();
  const held = namespace.hold();
  const first = refund('k');
  await held.reached;
  await failureOf(refund('k'));
  held.release();
  expect((await refund('k')).id).toBe((await first).id);
  expect(await countRefunds(namespace)).toBe(1);
});

test('a request whose sender has died is executed all the same, and its key answers for it', async () => {
  const { namespace, payment, refund } = await openAccount();
  const held = namespace.hold();
  const abort = new AbortController();
  const sending = fetch(`http://${namespace.endpoint.host}:${namespace.endpoint.port}/v1/refunds`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${namespace.credentials.apiKey}`,
      'idempotency-key': 'k',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `payment_intent=${payment}&amount=2000`,
    signal: abort.signal,
  });
  await held.reached;
  abort.abort();
  await expect(sending).rejects.toThrow();
  expect(namespace.idle?.()).toBe(false);
  held.release();
  const repeat = await refund('k');
  expect(repeat.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect(await countRefunds(namespace)).toBe(1);
});

test.each([
  ['landed', true, 1],
  ['not landed', false, 0],
] as const)(
  'a 500 that %s is stored, replayed, and not to be retried',
  async (_, landed, effects) => {
    const { namespace, refund } = await openAccount();
    namespace.arm({ kind: 'stored-error', landed }, () => undefined);
    const first = await failureOf(refund('k'));
    const second = await failureOf(refund('k'));
    expect([first.statusCode, second.statusCode]).toEqual([500, 500]);
    expect(first.headers?.['stripe-should-retry']).toBe('false');
    expect(first.headers?.['idempotent-replayed']).toBeUndefined();
    expect(second.headers?.['idempotent-replayed']).toBe('true');
    expect(await countRefunds(namespace)).toBe(effects);
  },
);

test('a refusal by the payment itself is stored: the same 400 is replayed', async () => {
  const { namespace, refund } = await openAccount();
  const first = await failureOf(refund('k', 1_000_001));
  const second = await failureOf(refund('k', 1_000_001));
  expect(second.message).toBe(first.message);
  expect(second.headers?.['idempotent-replayed']).toBe('true');
  expect(await countRefunds(namespace)).toBe(0);
});

test('a refusal of the parameters is not stored: the key is free for the mended request', async () => {
  const { namespace, payment, sdk, refund } = await openAccount();
  const malformed = sdk.refunds.create(
    { payment_intent: payment, amount: 20.5 },
    { idempotencyKey: 'k' },
  );
  expect((await failureOf(malformed)).code).toBe('parameter_invalid_integer');
  expect((await refund('k')).object).toBe('refund');
  expect(await countRefunds(namespace)).toBe(1);
});

test.each<[string, StripeFault]>([
  ['a 401', { kind: 'refused', status: 401 }],
  ['a 403', { kind: 'forbidden' }],
  ['a rate limit', { kind: 'refused', status: 429 }],
  ['lock_timeout', { kind: 'lock-timeout' }],
])('%s is not stored: the same key may be sent again', async (_, fault) => {
  const { namespace, refund } = await openAccount();
  namespace.arm(fault, () => undefined);
  const failure = await failureOf(refund('k'));
  expect(failure.headers?.['idempotent-replayed']).toBeUndefined();
  const second = await refund('k');
  expect(second.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  expect(await countRefunds(namespace)).toBe(1);
});

test('lock_timeout is a 429 that the SDK raises as StripeRateLimitError', async () => {
  const { namespace, refund } = await openAccount();
  namespace.arm({ kind: 'lock-timeout' }, () => undefined);
  const failure = await failureOf(refund('k'));
  expect(failure).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
  expect([failure.statusCode, failure.code]).toEqual([429, 'lock_timeout']);
});

test('an unknown key and no key are 401, and the message masks the key', async () => {
  const { namespace } = await openAccount();
  const stranger = openSdk(namespace, { apiKey: 'sk_test_of_nobody_at_all' });
  const failure = await failureOf(stranger.refunds.list());
  expect(failure).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
  expect(failure.message).not.toContain('nobody');
  const { host, port } = namespace.endpoint;
  const bare = await fetch(`http://${host}:${port}/v1/refunds`);
  expect(bare.status).toBe(401);
});

test('every answer names the request, the version and the key it was asked with', async () => {
  const { refund } = await openAccount();
  const { lastResponse } = await refund('k');
  expect(lastResponse.requestId).toMatch(/^req_/);
  expect(lastResponse.idempotencyKey).toBe('k');
  expect(lastResponse.apiVersion).toBe(Stripe.API_VERSION);
});

test('an account that ignores keys makes two refunds under one', async () => {
  const { namespace, refund } = await openAccount({ ignoreKeys: true });
  expect((await refund('k')).id).not.toBe((await refund('k')).id);
  expect(await countRefunds(namespace)).toBe(2);
});

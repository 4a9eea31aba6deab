import Stripe from 'stripe';
import { describe, expect, test, vi } from 'vitest';
import { createRail } from './rail.ts';
import { failureOf, openNamespace, openSdk } from './testing/loopback.ts';

async function openAccount() {
  const namespace = await openNamespace();
  const payment = String(namespace.examples(1).request.paymentIntent);
  return { namespace, payment, sdk: openSdk(namespace, namespace.credentials) };
}

describe('making refunds', () => {
  test('several partial refunds are allowed up to what was paid', async () => {
    const { namespace, payment, sdk } = await openAccount();
    for (const amount of [2000, 2000, 996_000]) {
      await sdk.refunds.create({ payment_intent: payment, amount });
    }
    expect(await namespace.effects()).toHaveLength(3);
  });

  test('one takes effect only after the work that an option of the rail gives it', async () => {
    const namespace = await openNamespace({ workMs: 300 });
    const payment = String(namespace.examples(1).request.paymentIntent);
    const sdk = openSdk(namespace, namespace.credentials);
    const made = sdk.refunds.create({ payment_intent: payment, amount: 2000 });
    await vi.waitUntil(() => !namespace.idle());
    expect(await namespace.effects()).toEqual([]);
    await made;
    expect(await namespace.effects()).toHaveLength(1);
    await expect(openNamespace({ workMs: -1 })).rejects.toThrow(/workMs must be a whole number/);
  });

  test('without an amount all that is left is refunded', async () => {
    const { payment, sdk } = await openAccount();
    await sdk.refunds.create({ payment_intent: payment, amount: 2000 });
    expect((await sdk.refunds.create({ payment_intent: payment })).amount).toBe(998_000);
  });

  test('a payment that is wholly refunded is a 400 charge_already_refunded', async () => {
    const { payment, sdk } = await openAccount();
    const { charge } = await sdk.refunds.create({ payment_intent: payment });
    const failure = await failureOf(sdk.refunds.create({ payment_intent: payment, amount: 1 }));
    expect(failure).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect([failure.statusCode, failure.code]).toEqual([400, 'charge_already_refunded']);
    expect(failure.message).toBe(`Charge ${charge} has already been refunded.`);
  });

  test('too much is a 400 on amount without a code', async () => {
    const { payment, sdk } = await openAccount();
    await sdk.refunds.create({ payment_intent: payment, amount: 999_000 });
    const failure = await failureOf(sdk.refunds.create({ payment_intent: payment, amount: 2500 }));
    expect([failure.statusCode, failure.param, failure.code]).toEqual([400, 'amount', undefined]);
    expect(failure.message).toBe(
      'Refund amount ($25.00) is greater than unrefunded amount on charge ($10.00)',
    );
  });

  test('exactly one of charge and payment_intent is needed', async () => {
    const { namespace, payment, sdk } = await openAccount();
    const { charge } = await sdk.refunds.create({ payment_intent: payment, amount: 1 });
    await sdk.refunds.create({ charge: String(charge), amount: 1 });
    expect((await failureOf(sdk.refunds.create({ amount: 1 }))).statusCode).toBe(400);
    const both = { payment_intent: payment, charge: String(charge), amount: 1 };
    expect((await failureOf(sdk.refunds.create(both))).statusCode).toBe(400);
    expect(await namespace.effects()).toHaveLength(2);
  });

  test('a payment that is not there is a 404 resource_missing', async () => {
    const { sdk } = await openAccount();
    const failure = await failureOf(sdk.refunds.create({ payment_intent: 'pi_none', amount: 1 }));
    expect([failure.statusCode, failure.code]).toEqual([404, 'resource_missing']);
  });

  test.each([
    ['a float', { amount: 20.5 }],
    ['zero', { amount: 0 }],
    ['a negative amount', { amount: -5 }],
    ['an unknown reason', { amount: 1, reason: 'late' }],
    ['metadata as text', { amount: 1, metadata: 'text' as unknown as Stripe.MetadataParam }],
  ] as const)('%s is a 400 and makes nothing', async (_, params) => {
    const { namespace, payment, sdk } = await openAccount();
    const failure = await failureOf(sdk.refunds.create({ payment_intent: payment, ...params }));
    expect(failure.statusCode).toBe(400);
    expect(await namespace.effects()).toEqual([]);
  });

  test('an unknown parameter is a 400 parameter_unknown', async () => {
    const { payment, sdk } = await openAccount();
    const params = { payment_intent: payment, amount_minor: 1 } as Stripe.RefundCreateParams;
    expect((await failureOf(sdk.refunds.create(params))).code).toBe('parameter_unknown');
  });

  test('reason and metadata are kept and come back', async () => {
    const { payment, sdk } = await openAccount();
    const metadata = { decision_key: 'k', 'näme & co': 'a=b&c % (d)' };
    const { id } = await sdk.refunds.create({
      payment_intent: payment,
      amount: 1,
      reason: 'duplicate',
      metadata,
    });
    const read = await sdk.refunds.retrieve(id);
    expect(read.metadata).toEqual(metadata);
    expect(read.reason).toBe('duplicate');
  });

  test('metadata takes 50 fields of 40 characters and 500 of value, and not one more', async () => {
    const { payment, sdk } = await openAccount();
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`field-${index}`, 'x']));
    const create = (metadata: Record<string, string>) =>
      sdk.refunds.create({ payment_intent: payment, amount: 1, metadata });
    await create(fields(50));
    await create({ ['k'.repeat(40)]: 'v'.repeat(500) });
    expect((await failureOf(create(fields(51)))).statusCode).toBe(400);
    expect((await failureOf(create({ ['k'.repeat(41)]: 'v' }))).statusCode).toBe(400);
    expect((await failureOf(create({ k: 'v'.repeat(501) }))).statusCode).toBe(400);
    expect((await failureOf(create({ 'a[b]': 'v' }))).statusCode).toBe(400);
  });
});

describe('reading', () => {
  test('a payment intent says what was received', async () => {
    const { payment, sdk } = await openAccount();
    expect(await sdk.paymentIntents.retrieve(payment)).toMatchObject({
      id: payment,
      object: 'payment_intent',
      amount_received: 1_000_000,
      currency: 'usd',
      status: 'succeeded',
    });
  });

  test('what is not there, and what this stand-in does not know, is a 404 of Stripe’s shape', async () => {
    const { sdk } = await openAccount();
    for (const call of [
      sdk.refunds.retrieve('re_none'),
      sdk.paymentIntents.retrieve('pi_none'),
      sdk.paymentIntents.list(),
      sdk.customers.list(),
      sdk.customers.create({}),
      sdk.customers.del('cus_1'),
    ]) {
      const failure = await failureOf(call);
      expect([failure.statusCode, failure.rawType]).toEqual([404, 'invalid_request_error']);
    }
  });
});

describe('listing refunds', () => {
  async function openTwelve() {
    const account = await openAccount();
    const ids: string[] = [];
    for (let made = 0; made < 12; made += 1) {
      const refund = await account.sdk.refunds.create({
        payment_intent: account.payment,
        amount: 1,
      });
      ids.unshift(refund.id);
    }
    return { ...account, newestFirst: ids };
  }

  test('ten come at first, newest first, and the answer says that more follow', async () => {
    const { sdk, newestFirst } = await openTwelve();
    const page = await sdk.refunds.list();
    expect(page.data.map(({ id }) => id)).toEqual(newestFirst.slice(0, 10));
    expect(page.has_more).toBe(true);
  });

  test('starting_after goes on behind an id, to a last page that says so', async () => {
    const { sdk, newestFirst } = await openTwelve();
    const page = await sdk.refunds.list({ starting_after: String(newestFirst[9]) });
    expect(page.data.map(({ id }) => id)).toEqual(newestFirst.slice(10));
    expect(page.has_more).toBe(false);
  });

  test('a page that ends exactly at the last refund says that nothing follows', async () => {
    const { sdk } = await openTwelve();
    expect((await sdk.refunds.list({ limit: 12 })).has_more).toBe(false);
  });

  test('ending_before gives the page directly before an id, newest first', async () => {
    const { sdk, newestFirst } = await openTwelve();
    const page = await sdk.refunds.list({ ending_before: String(newestFirst[5]), limit: 3 });
    expect(page.data.map(({ id }) => id)).toEqual(newestFirst.slice(2, 5));
    expect(page.has_more).toBe(true);
    const first = await sdk.refunds.list({ ending_before: String(newestFirst[2]) });
    expect(first.data.map(({ id }) => id)).toEqual(newestFirst.slice(0, 2));
    expect(first.has_more).toBe(false);
  });

  test('a refund made between two pages neither repeats nor hides one', async () => {
    const { payment, sdk, newestFirst } = await openTwelve();
    const first = await sdk.refunds.list({ limit: 6 });
    await sdk.refunds.create({ payment_intent: payment, amount: 1 });
    const second = await sdk.refunds.list({ limit: 6, starting_after: first.data[5]?.id ?? '' });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(newestFirst);
  });

  test('the SDK’s own paging reads all of them', async () => {
    const { sdk, newestFirst } = await openTwelve();
    const all = await sdk.refunds.list({ limit: 5 }).autoPagingToArray({ limit: 100 });
    expect(all.map(({ id }) => id)).toEqual(newestFirst);
  });

  test('payment_intent, charge and created filter', async () => {
    const { namespace, payment, sdk } = await openAccount();
    const other = String(namespace.examples(2).request.paymentIntent);
    const first = await sdk.refunds.create({ payment_intent: payment, amount: 1 });
    namespace.setClock(3_600_000);
    const second = await sdk.refunds.create({ payment_intent: other, amount: 1 });
    const idsOf = async (params: Stripe.RefundListParams) =>
      (await sdk.refunds.list(params)).data.map(({ id }) => id);
    expect(await idsOf({ payment_intent: payment })).toEqual([first.id]);
    expect(await idsOf({ charge: String(second.charge) })).toEqual([second.id]);
    expect(await idsOf({ created: { gt: first.created } })).toEqual([second.id]);
    expect(await idsOf({ created: { gte: first.created, lt: second.created } })).toEqual([
      first.id,
    ]);
    expect(await idsOf({ created: { lte: second.created } })).toEqual([second.id, first.id]);
    expect(await idsOf({ created: first.created })).toEqual([first.id]);
    expect(await idsOf({ payment_intent: 'pi_none' })).toEqual([]);
  });

  test('a limit outside 1 to 100, two cursors, an unknown cursor and an unknown filter are refused', async () => {
    const { sdk, newestFirst } = await openTwelve();
    const [a = '', b = ''] = newestFirst;
    for (const params of [
      { limit: 0 },
      { limit: 101 },
      { starting_after: a, ending_before: b },
      { starting_after: 're_none' },
      { metadata: { decision_key: 'k' } } as Stripe.RefundListParams,
      { created: { around: 1 } } as Stripe.RefundListParams,
    ]) {
      expect((await failureOf(sdk.refunds.list(params))).statusCode).toBe(400);
    }
  });
});

describe('namespaces', () => {
  test('share no payments, refunds, keys or clocks', async () => {
    const rail = await createRail({ options: {} });
    const one = await rail.openNamespace('one');
    const two = await rail.openNamespace('two');
    const { request } = one.examples(7);
    expect(two.examples(7)).toEqual(one.examples(7));
    const params = { payment_intent: String(request.paymentIntent), amount: 2000 };
    const options = { idempotencyKey: 'k' };
    const first = await openSdk(one, one.credentials).refunds.create(params, options);
    two.setClock(48 * 60 * 60 * 1000);
    const second = await openSdk(two, two.credentials).refunds.create(params, options);
    expect(second.id).not.toBe(first.id);
    expect(second.lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(await one.effects()).toHaveLength(1);
    expect(await two.effects()).toHaveLength(1);
    expect(second.created - first.created).toBeGreaterThan(24 * 60 * 60);
    expect((await openSdk(two, two.credentials).refunds.list()).data).toHaveLength(1);
    await rail.close();
  });

  test('a fault strikes only the subject of its own namespace, and once', async () => {
    const rail = await createRail({ options: {} });
    const one = await rail.openNamespace('one');
    const two = await rail.openNamespace('two');
    let fired = 0;
    one.arm({ kind: 'lookup-error', how: 401 }, () => {
      fired += 1;
    });
    await openSdk(two, two.credentials).refunds.list();
    await openSdk(one, one.personCredentials).refunds.list();
    expect(fired).toBe(0);
    const subject = openSdk(one, one.credentials);
    expect((await failureOf(subject.refunds.list())).statusCode).toBe(401);
    expect(fired).toBe(1);
    await subject.refunds.list();
    await rail.close();
  });

  test('know whose credential made a refund', async () => {
    const { namespace, payment, sdk } = await openAccount();
    await sdk.refunds.create({ payment_intent: payment, amount: 1 });
    const person = openSdk(namespace, namespace.personCredentials);
    await person.refunds.create({ payment_intent: payment, amount: 1 });
    const effects = await namespace.effects();
    expect(effects.map(({ actor, stamp }) => [actor, stamp])).toEqual([
      ['subject', null],
      ['person', null],
    ]);
  });

  test('a closed one answers 401 to its old keys, and its id is free again', async () => {
    const rail = await createRail({ options: {} });
    const namespace = await rail.openNamespace('one');
    await expect(rail.openNamespace('one')).rejects.toThrow(/came one again/);
    const held = namespace.hold();
    const { request } = namespace.examples(1);
    const sdk = openSdk(namespace, namespace.credentials);
    const call = failureOf(
      sdk.refunds.create({ payment_intent: String(request.paymentIntent), amount: 1 }),
    );
    await held.reached;
    await namespace.close();
    expect((await call).statusCode).toBe(401);
    expect(await namespace.effects()).toEqual([]);
    expect((await failureOf(sdk.refunds.list())).statusCode).toBe(401);
    await rail.openNamespace('one');
    await rail.close();
  });

  test('are idle again once everything is answered', async () => {
    const { namespace, sdk } = await openAccount();
    expect(namespace.idle()).toBe(true);
    await Promise.all([sdk.refunds.list(), failureOf(sdk.refunds.retrieve('re_none'))]);
    expect(namespace.idle()).toBe(true);
  });

  test('unknown rail options are an error', async () => {
    await expect(createRail({ options: { ignoreKey: true } })).rejects.toThrow(/ignoreKeys/);
    await expect(createRail({ options: { ignoreKeys: 'no' } })).rejects.toThrow(/true or false/);
  });
});

describe('examples', () => {
  test('are the same for a seed at every call and differ between seeds', async () => {
    const { namespace } = await openAccount();
    expect(namespace.examples(3)).toEqual(namespace.examples(3));
    expect(namespace.examples(4).request).not.toEqual(namespace.examples(3).request);
  });

  test('leave room for hundreds of effects, change the amount only, and differ by an approval only', async () => {
    const { namespace } = await openAccount();
    for (let seed = 0; seed < 200; seed += 1) {
      const { request, changed, distinct, lookAlike } = namespace.examples(seed);
      expect(Number(request.amountMinor) * 300).toBeLessThanOrEqual(1_000_000);
      const { amountMinor: _, ...rest } = request;
      expect(changed).toMatchObject(rest);
      expect(changed.amountMinor).not.toBe(request.amountMinor);
      const { distinct: approval, ...substance } = distinct;
      expect(substance).toEqual(request);
      expect(approval).toMatch(/^approval-/);
      expect(lookAlike).toMatchObject(rest);
      expect(lookAlike.amountMinor).toBe(request.amountMinor);
    }
  });

  test('name payments that exist', async () => {
    const { namespace, sdk } = await openAccount();
    const { request } = namespace.examples(99);
    expect((await sdk.paymentIntents.retrieve(String(request.paymentIntent))).status).toBe(
      'succeeded',
    );
  });
});

import { describe, expect, test } from 'vitest';
import { createRail } from './rail.ts';
import { failureOf, openNamespace, openSdk } from './testing/loopback.ts';

const examples = { paidMinor: 10_000, amountMinor: 2_000 };

describe('the option examples', () => {
  test('sets what was paid and what is asked for; the changed request asks for 1000 more', async () => {
    const namespace = await openNamespace({ examples });
    const { request, changed, distinct, lookAlike } = namespace.examples(1);
    expect([request, changed, distinct, lookAlike].map(({ amountMinor }) => amountMinor)).toEqual([
      2_000, 3_000, 2_000, 2_000,
    ]);
    const sdk = openSdk(namespace, namespace.credentials);
    const payment = await sdk.paymentIntents.retrieve(String(request.paymentIntent));
    expect(payment.amount).toBe(10_000);
  });

  test('leaves room for four refunds and the changed amount, and Stripe’s own limit stays', async () => {
    const namespace = await openNamespace({ examples });
    const { request } = namespace.examples(1);
    const sdk = openSdk(namespace, namespace.credentials);
    const payment_intent = String(request.paymentIntent);
    for (const amount of [2_000, 2_000, 2_000, 3_000]) {
      await sdk.refunds.create({ payment_intent, amount });
    }
    const beyond = await failureOf(sdk.refunds.create({ payment_intent, amount: 2_000 }));
    expect(beyond.message).toMatch(/greater than unrefunded amount/);
  });

  test.each([
    [{ paidMinor: 10_000 }, /whole numbers from 1/],
    [{ ...examples, amountMinor: 20.5 }, /whole numbers from 1/],
    [{ ...examples, currency: 'eur' }, /nothing else/],
    ['some', /whole numbers from 1/],
    [null, /whole numbers from 1/],
    [{ paidMinor: 8_999, amountMinor: 2_000 }, /at least 9000/],
  ])('refuses %j', async (refused, why) => {
    await expect(createRail({ options: { examples: refused } })).rejects.toThrow(why);
  });
});

import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { failureOf, openNamespace, openSdk } from './testing/loopback.ts';

const paid = {
  amount: 5_000,
  currency: 'usd',
  payment_method: 'pm_card_visa',
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  confirm: true,
} satisfies Stripe.PaymentIntentCreateParams;

async function openAccount() {
  const namespace = await openNamespace();
  return { namespace, sdk: openSdk(namespace, namespace.credentials) };
}

describe('a payment', () => {
  test('made and confirmed with a test card is paid, labelled, and can be refunded', async () => {
    const { sdk, namespace } = await openAccount();
    const labels = { description: 'for a trial', metadata: { killpoint_trial: 'one' } };
    const payment = await sdk.paymentIntents.create({ ...paid, ...labels });
    expect(payment).toMatchObject({
      object: 'payment_intent',
      status: 'succeeded',
      livemode: false,
      amount_received: 5_000,
      ...labels,
    });
    expect(await sdk.paymentIntents.retrieve(payment.id)).toMatchObject({ id: payment.id });
    const refund = await sdk.refunds.create({ payment_intent: payment.id, amount: 2_000 });
    expect(refund).toMatchObject({ payment_intent: payment.id, charge: payment.latest_charge });
    expect(await namespace.effects()).toMatchObject([{ subject: payment.id }]);
  });

  test('is made once under its key, and another one under the same key is refused', async () => {
    const { sdk } = await openAccount();
    const once = { idempotencyKey: 'once' };
    const first = await sdk.paymentIntents.create(paid, once);
    const again = await sdk.paymentIntents.create(paid, once);
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    const other = await failureOf(sdk.paymentIntents.create({ ...paid, amount: 6_000 }, once));
    expect([other.statusCode, other.rawType]).toEqual([400, 'idempotency_error']);
    const another = await sdk.paymentIntents.create(paid);
    expect(another.id).not.toBe(first.id);
  });

  test('that could send its customer to another page needs one to come back to', async () => {
    const { sdk } = await openAccount();
    const { automatic_payment_methods: _, ...open } = paid;
    const failure = await failureOf(sdk.paymentIntents.create(open, { idempotencyKey: 'a' }));
    expect(failure.message).toContain('you must provide a `return_url`');
    // It never began, so the key is free.
    expect(await sdk.paymentIntents.create(paid, { idempotencyKey: 'a' })).toMatchObject({
      status: 'succeeded',
    });
  });

  test.each([
    [{ ...paid, payment_method: 'pm_nobody' }, 'resource_missing', 'payment_method'],
    [{ ...paid, amount: 49 }, 'amount_too_small', 'amount'],
    [{ ...paid, amount: 100_000_000 }, 'amount_too_large', 'amount'],
    [{ ...paid, off_session: true }, 'parameter_unknown', 'off_session'],
    [{ ...paid, confirm: false }, undefined, undefined],
  ])('is refused: %j', async (asked, code, param) => {
    const { sdk } = await openAccount();
    const failure = await failureOf(sdk.paymentIntents.create(asked));
    expect([failure.statusCode, failure.code, failure.param]).toEqual([400, code, param]);
  });

  test('can be described, and nothing else of it can be changed', async () => {
    const { sdk } = await openAccount();
    const { id } = await sdk.paymentIntents.create(paid);
    const described = await sdk.paymentIntents.update(id, { description: 'looked at' });
    expect(described).toMatchObject({ id, description: 'looked at' });
    const failure = await failureOf(sdk.paymentIntents.update(id, { amount: 1 }));
    expect(failure.code).toBe('parameter_unknown');
    const missing = await failureOf(sdk.paymentIntents.update('pi_none', { description: 'a' }));
    expect(missing.statusCode).toBe(404);
  });
});

test('the account is read by its own key', async () => {
  const { sdk, namespace } = await openAccount();
  expect(await sdk.accounts.retrieveCurrent()).toMatchObject({
    id: namespace.credentials.account,
    object: 'account',
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import type { RailFault } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import type { StripeFault } from './rail.ts';
import { failureOf, openNamespace, openSdk } from './testing/loopback.ts';

const lagMs = 60;

/** The official SDK as the subject and as a person, against a payment of a fresh account. */
async function openAccount(options: JsonObject = { lagMs }) {
  const namespace = await openNamespace(options);
  const payment = String(namespace.examples(1).request.paymentIntent);
  const subject = openSdk(namespace, namespace.credentials);
  const person = openSdk(namespace, namespace.personCredentials);
  const refund = (sdk: Stripe, idempotencyKey: string) =>
    sdk.refunds.create({ payment_intent: payment, amount: 2000 }, { idempotencyKey });
  const list = (sdk: Stripe, params: Stripe.RefundListParams = {}) =>
    sdk.refunds.list({ payment_intent: payment, limit: 3, ...params });
  let fired = 0;
  const arm = (fault: StripeFault) =>
    namespace.arm(fault, () => {
      fired += 1;
    });
  return { namespace, subject, person, refund, list, arm, firedTimes: () => fired };
}

describe('what an account can do wrong', () => {
  test('is everything, where it honours keys and its lists lag', async () => {
    const { namespace } = await openAccount();
    const kinds: RailFault['kind'][] = [
      'stored-error',
      'in-flight-conflict',
      'refused',
      'lookup-error',
      'stale-read',
      'paged',
    ];
    expect(namespace.can).toEqual(kinds);
  });

  test('is nothing about keys it ignores, and nothing stale without a lag', async () => {
    const { namespace, arm } = await openAccount({ ignoreKeys: true });
    expect(namespace.can).toEqual(['stored-error', 'refused', 'lookup-error', 'paged']);
    expect(() => arm({ kind: 'in-flight-conflict', times: 1 })).toThrow(/honours keys/);
    expect(() => arm({ kind: 'stale-read' })).toThrow(/lagMs/);
  });

  test('a lag that is no whole number of milliseconds is an error', async () => {
    await expect(openNamespace({ lagMs: -1 })).rejects.toThrow(/lagMs/);
    await expect(openNamespace({ lagMs: '5' })).rejects.toThrow(/lagMs/);
  });
});

test('a stored error of an account that ignores keys is a 500 once', async () => {
  const { namespace, subject, refund, arm, firedTimes } = await openAccount({ ignoreKeys: true });
  arm({ kind: 'stored-error', landed: true });
  expect((await failureOf(refund(subject, 'k'))).statusCode).toBe(500);
  await refund(subject, 'k');
  expect(firedTimes()).toBe(1);
  expect(await namespace.effects()).toHaveLength(2);
});

test('a conflict is told as often as asked, stores nothing, and lets people through', async () => {
  const { namespace, subject, person, refund, arm, firedTimes } = await openAccount();
  arm({ kind: 'in-flight-conflict', times: 2 });
  await refund(person, 'p');
  for (const times of [1, 2]) {
    const failure = await failureOf(refund(subject, 'k'));
    expect([failure.statusCode, failure.code]).toEqual([409, 'idempotency_key_in_use']);
    expect(firedTimes()).toBe(times);
  }
  await refund(subject, 'k');
  expect(firedTimes()).toBe(2);
  expect(await namespace.effects()).toHaveLength(2);
});

test('a refusal waits for a mutating request of the subject', async () => {
  const { namespace, subject, person, refund, list, arm, firedTimes } = await openAccount();
  arm({ kind: 'refused', status: 429 });
  await list(subject);
  await refund(person, 'p');
  expect(firedTimes()).toBe(0);
  expect((await failureOf(refund(subject, 'k'))).code).toBe('rate_limit');
  expect(firedTimes()).toBe(1);
  expect(await namespace.effects()).toHaveLength(1);
});

describe('a lookup error', () => {
  test.each([401, 429, 500] as const)('of %i meets the next list, and only that', async (how) => {
    const { subject, person, refund, list, arm, firedTimes } = await openAccount();
    const { id } = await refund(subject, 'k');
    arm({ kind: 'lookup-error', how });
    await list(person);
    await subject.refunds.retrieve(id);
    expect(firedTimes()).toBe(0);
    expect((await failureOf(list(subject))).statusCode).toBe(how);
    expect((await list(subject)).data).toHaveLength(1);
    expect(firedTimes()).toBe(1);
  });

  test('can be an empty page that claims more', async () => {
    const { subject, refund, list, arm } = await openAccount();
    await refund(subject, 'k');
    arm({ kind: 'lookup-error', how: 'empty-claims-more' });
    const page = await list(subject);
    expect([page.data, page.has_more]).toEqual([[], true]);
  });
});

describe('a stale read', () => {
  test('hides a refund from the subject until the lag has passed, and from nobody else', async () => {
    const { subject, person, refund, list, arm, firedTimes } = await openAccount();
    arm({ kind: 'stale-read' });
    await refund(subject, 'k');
    expect((await list(subject)).data).toEqual([]);
    expect((await list(person)).data).toHaveLength(1);
    await sleep(lagMs + 5);
    expect((await list(subject)).data).toHaveLength(1);
    expect(firedTimes()).toBe(2);
  });

  test('is not aged by moving the clock', async () => {
    const { namespace, subject, refund, list, arm } = await openAccount();
    arm({ kind: 'stale-read' });
    await refund(subject, 'k');
    namespace.setClock(3_600_000);
    expect((await list(subject)).data).toEqual([]);
  });

  test('comes only when armed', async () => {
    const { subject, refund, list } = await openAccount();
    await refund(subject, 'k');
    expect((await list(subject)).data).toHaveLength(1);
  });
});

describe('a crowded list', () => {
  test('has the refund of the subject on a later page, behind equal ones of people', async () => {
    const { namespace, subject, refund, list, arm, firedTimes } = await openAccount();
    arm({ kind: 'paged', lookAlikes: 4, changes: false });
    const ours = await refund(subject, 'k');
    const first = await list(subject);
    expect(first.data.map(({ amount, payment_intent: of }) => [amount, of])).toEqual(
      Array(3).fill([ours.amount, ours.payment_intent]),
    );
    expect(first.data.some(({ id }) => id === ours.id)).toBe(false);
    const second = await list(subject, { starting_after: String(first.data[2]?.id) });
    expect(second.data.map(({ id }) => id)).toContain(ours.id);
    expect(firedTimes()).toBe(2);
    const made = await namespace.effects();
    expect(made.map(({ actor, stamp }) => [actor, stamp])).toEqual([
      ['subject', null],
      ...Array(4).fill(['person', null]),
    ]);
  });

  test('fills the page that is asked for, however few look-alikes were wished', async () => {
    const { subject, refund, list, arm } = await openAccount();
    arm({ kind: 'paged', lookAlikes: 1, changes: false });
    const ours = await refund(subject, 'k');
    const page = await list(subject, { limit: 100 });
    expect(page.data.some(({ id }) => id === ours.id)).toBe(false);
    expect(page.has_more).toBe(true);
  });

  test('grows no further when it is read again', async () => {
    const { namespace, subject, refund, list, arm } = await openAccount();
    arm({ kind: 'paged', lookAlikes: 4, changes: false });
    await refund(subject, 'k');
    await list(subject);
    await list(subject);
    expect(await namespace.effects()).toHaveLength(5);
  });

  test('stands before what the subject makes later too', async () => {
    const { subject, refund, list, arm } = await openAccount();
    arm({ kind: 'paged', lookAlikes: 4, changes: false });
    await list(subject);
    const ours = await refund(subject, 'k');
    expect((await list(subject)).data.some(({ id }) => id === ours.id)).toBe(false);
  });

  test('that changes gains a refund between two pages, and a pager still meets each once', async () => {
    const { namespace, subject, refund, list, arm } = await openAccount();
    arm({ kind: 'paged', lookAlikes: 4, changes: true });
    const ours = await refund(subject, 'k');
    const first = await list(subject);
    const seen = [...first.data];
    for (let page = first; page.has_more; ) {
      page = await list(subject, { starting_after: String(page.data.at(-1)?.id) });
      seen.push(...page.data);
    }
    const ids = seen.map(({ id }) => id);
    expect(ids).toContain(ours.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await namespace.effects()).length).toBeGreaterThan(ids.length);
  });

  test('is not seen by people', async () => {
    const { person, list, arm, firedTimes } = await openAccount();
    arm({ kind: 'paged', lookAlikes: 4, changes: false });
    expect((await list(person)).data).toEqual([]);
    expect(firedTimes()).toBe(0);
  });
});

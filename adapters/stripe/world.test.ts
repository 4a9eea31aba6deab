import { describe, expect, test } from 'vitest';
import type { RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import { describeWorld } from '../testing/world-suite.ts';
import { createRail } from './rail.ts';
import { failureOf, openNamespace, openSdk, openTarget } from './testing/loopback.ts';

async function openAccount(options: JsonObject = {}) {
  const namespace = await openNamespace(options);
  const { request } = namespace.examples(1);
  const target = openTarget(namespace, { variant: 'lookup', pageSize: 2 });
  return {
    namespace,
    request,
    target,
    payment: String(request.paymentIntent),
    world: (event: RailWorldEvent) => namespace.world(event, request),
    sdk: openSdk(namespace, namespace.credentials),
    person: openSdk(namespace, namespace.personCredentials),
    apply: (key = 'ours') => target.apply({ key, request, attempt: 1 }),
    query: (key = 'ours') => target.query?.({ key, request }),
  };
}

describeWorld({
  openRail: () => createRail({ options: {} }),
  openTarget: (namespace) => openTarget(namespace, { variant: 'lookup', pageSize: 2 }),
});

describe('a version', () => {
  test('names what others did: who made a refund and undid it left the sum and not the version', async () => {
    const { namespace, payment, target, request, world } = await openAccount();
    const premises = await target.capture(request);
    const version = premises.filter(({ kind }) => kind === 'version-unchanged');
    const fact = `${payment}.refundsByOthers`;
    expect(version).toEqual([{ kind: 'version-unchanged', fact, value: [] }]);
    await world('premise-changed-and-back');
    const [{ entityId } = { entityId: '' }] = await namespace.effects();
    expect(await target.validate(request, premises, 'ours')).toEqual({
      kind: 'stale',
      fact,
      expected: [],
      found: [entityId, `${entityId} undone`],
    });
  });

  test('that a lagging list does not show yet could not be told', async () => {
    const { namespace, target, request, world } = await openAccount({ lagMs: 60_000 });
    await world('done-by-hand');
    const premises = await target.capture(request);
    namespace.arm({ kind: 'stale-read' }, () => undefined);
    expect(await target.validate(request, premises, 'ours')).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/older than the decision: it lacks re_/),
    });
  });
});

describe('a refund', () => {
  test('undone by hand is cancelled, stays in the list and in the journal, and is found', async () => {
    const { namespace, sdk, apply, world, query } = await openAccount();
    await apply();
    await world('undone-by-hand');
    const [effect, ...others] = await namespace.effects();
    expect(others).toEqual([]);
    expect(effect).toMatchObject({ actor: 'subject', stamp: 'ours' });
    const entityId = String(effect?.entityId);
    const refund = await sdk.refunds.retrieve(entityId);
    expect([refund.status, refund.failure_reason]).toEqual(['canceled', 'merchant_request']);
    expect(refund.failure_balance_transaction).toMatch(/^txn_/);
    expect(await query()).toEqual({ kind: 'found', entityId });
  });

  test('undone by hand is what its key still answers with: the first answer, and no second refund', async () => {
    const { namespace, apply, world } = await openAccount();
    const first = await apply();
    await world('undone-by-hand');
    expect(await apply()).toEqual(first);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('that was undone leaves what it took to be refunded again', async () => {
    const { sdk, payment, world } = await openAccount();
    await sdk.refunds.create({ payment_intent: payment });
    expect((await failureOf(sdk.refunds.create({ payment_intent: payment }))).code).toBe(
      'charge_already_refunded',
    );
    await world('undone-by-hand');
    expect((await sdk.refunds.create({ payment_intent: payment })).amount).toBe(1_000_000);
  });

  test('a premise changes by is smaller than the request, and one that it changes back by has failed', async () => {
    const { sdk, payment, request, world } = await openAccount();
    await world('premise-changed');
    await world('premise-changed-and-back');
    const { data } = await sdk.refunds.list({ payment_intent: payment });
    expect(data.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    for (const { amount } of data) expect(amount).toBeLessThan(Number(request.amountMinor));
  });

  test('of another payment and a description are what changes unrelatedly', async () => {
    const { namespace, sdk, payment, world } = await openAccount();
    await world('unrelated-change');
    await world('unrelated-change');
    const effects = await namespace.effects();
    expect(effects.map(({ actor, subject }) => [actor, subject === payment])).toEqual([
      ['person', false],
      ['person', false],
    ]);
    expect(new Set(effects.map(({ subject }) => subject)).size).toBe(1);
    expect((await sdk.paymentIntents.retrieve(payment)).description).toBe('looked at by a person');
  });

  test('of a request about no payment of the account is an error', async () => {
    const { namespace, request } = await openAccount();
    const elsewhere = { ...request, paymentIntent: 'pi_none' };
    await expect(namespace.world('done-by-hand', elsewhere)).rejects.toThrow(/pi_none/);
  });
});

describe('cancelling through the API', () => {
  test('is refused for a refund that succeeded and for one that was cancelled, and does nothing', async () => {
    const { namespace, person, apply, world } = await openAccount();
    await apply();
    const [{ entityId } = { entityId: '' }] = await namespace.effects();
    for (const status of ['succeeded', 'canceled']) {
      const failure = await failureOf(person.refunds.cancel(entityId));
      expect([failure.statusCode, failure.rawType]).toEqual([400, 'invalid_request_error']);
      expect(failure.message).toContain(status);
      expect((await person.refunds.retrieve(entityId)).status).toBe(status);
      if (status === 'succeeded') await world('undone-by-hand');
    }
  });

  test('is a 404 for a refund that is not there', async () => {
    const { person } = await openAccount();
    const failure = await failureOf(person.refunds.cancel('re_none'));
    expect([failure.statusCode, failure.code]).toEqual([404, 'resource_missing']);
  });

  test('takes no parameters', async () => {
    const { person } = await openAccount();
    const failure = await failureOf(person.refunds.cancel('re_none', { expand: ['charge'] }));
    expect(failure.code).toBe('parameter_unknown');
  });
});

describe('a restart', () => {
  test('leaves the key of what was under way free: the SDK, which sends again, makes the refund', async () => {
    const { namespace, payment, sdk, world } = await openAccount();
    const held = namespace.hold();
    const call = sdk.refunds.create(
      { payment_intent: payment, amount: 1 },
      { idempotencyKey: 'k' },
    );
    await held.reached;
    await world('rail-restarted');
    const { lastResponse } = await call;
    expect(lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(namespace.requests()).toHaveLength(2);
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('breaks connections that wait for their next request too', async () => {
    const { sdk, world, namespace } = await openAccount();
    await sdk.refunds.list();
    await world('rail-restarted');
    // Kept alive and broken: the SDK needs a new one, which it gets.
    await sdk.refunds.list();
    expect(namespace.requests()).toHaveLength(2);
  });

  test('keeps stored answers, and faults that nothing has met', async () => {
    const { namespace, request, target, apply, world } = await openAccount();
    const first = await apply();
    namespace.arm({ kind: 'lookup-error', how: 500 }, () => undefined);
    await world('rail-restarted');
    expect(await apply()).toEqual(first);
    expect(await namespace.effects()).toHaveLength(1);
    await expect(target.capture(request)).rejects.toThrow(/500/);
  });
});

describe('a held refund', () => {
  test('holds its key: a resend is in flight while it is held, and gets its answer afterwards', async () => {
    const { namespace, payment, apply, sdk } = await openAccount();
    const held = namespace.hold();
    const first = apply();
    await held.reached;
    expect(await apply()).toMatchObject({ kind: 'unknown', cause: 'in-flight' });
    held.release();
    const landed = await first;
    expect(await apply()).toEqual(landed);
    expect(await namespace.effects()).toHaveLength(1);
    expect((await sdk.refunds.list({ payment_intent: payment })).data).toHaveLength(1);
  });
});

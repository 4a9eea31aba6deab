import { describe, expect, test } from 'vitest';
import type { RailWorldEvent } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import { describeWorld } from '../testing/world-suite.ts';
import { createRail } from './rail.ts';
import {
  httpReply,
  openAnsweringServer,
  openFenceTarget,
  openMarkedTarget,
  openNamespace,
} from './testing/loopback.ts';

describeWorld({
  openRail: () => createRail({ options: {} }),
  openTarget: (namespace) => openFenceTarget(namespace),
});

async function openLedger() {
  const namespace = await openNamespace();
  const { request } = namespace.examples(1);
  const target = openFenceTarget(namespace);
  const { host, port } = namespace.endpoint;
  return {
    namespace,
    request,
    target,
    place: `${request.account}/${request.reference}`,
    world: (event: RailWorldEvent) => namespace.world(event, request),
    apply: (attempt = 1) => target.apply({ key: 'ours', request, attempt }),
    askAsPerson: async (method: string, path: string, body?: JsonObject) => {
      const answer = await fetch(`http://${host}:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${namespace.personCredentials.token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const said = (await answer.json()) as Readonly<Record<string, unknown>>;
      return { status: answer.status, body: said };
    },
  };
}

describe('premises', () => {
  test('are the limit, what stands under the reference, and its version', async () => {
    const { request, target, place, world } = await openLedger();
    await world('done-by-hand');
    expect(await target.capture(request)).toEqual([
      { kind: 'value-equals', fact: `${request.account}.limitMinor`, value: 1_000_000 },
      { kind: 'value-equals', fact: `${place}.postedMinor`, value: request.amountMinor },
      { kind: 'version-unchanged', fact: `${place}.version`, value: 1 },
    ]);
  });

  test('that are stale say what was expected and found, without our own entry', async () => {
    const { request, target, place, apply, world } = await openLedger();
    const premises = await target.capture(request);
    await apply();
    await world('premise-changed-and-back');
    expect(await target.validate(request, premises, 'ours')).toEqual({
      kind: 'stale',
      fact: `${place}.version`,
      expected: 0,
      found: 2,
    });
    await world('premise-changed');
    expect(await target.validate(request, premises, 'ours')).toMatchObject({
      fact: `${request.account}.limitMinor`,
      expected: 1_000_000,
      found: 1_000_100,
    });
  });

  test('of the version leave out our own entry and its reversal, wherever among the others they fall', async () => {
    const { request, target, apply, world } = await openLedger();
    await world('done-by-hand');
    await apply();
    await world('premise-changed');
    const premises = await target.capture(request);
    await world('undone-by-hand');
    expect(await target.validate(request, premises, 'ours')).toEqual({ kind: 'hold' });
    await world('premise-changed-and-back');
    expect(await target.validate(request, premises, 'ours')).toMatchObject({ kind: 'stale' });
  });

  test('are the same where there is a mark and no lookup', async () => {
    const { namespace, request, target, world } = await openLedger();
    const marked = openMarkedTarget(namespace);
    const premises = await marked.capture(request);
    expect(premises).toEqual(await target.capture(request));
    await world('done-by-hand');
    expect(await marked.validate(request, premises, 'ours')).toMatchObject({ kind: 'stale' });
  });

  test('are no lookup: a lookup that is to fail still waits for one', async () => {
    const { namespace, request, target } = await openLedger();
    namespace.arm({ kind: 'lookup-error', how: 500 }, () => undefined);
    const premises = await target.capture(request);
    expect(await target.validate(request, premises, 'ours')).toEqual({ kind: 'hold' });
    expect(await target.query({ key: 'ours', request })).toMatchObject({ kind: 'could-not-tell' });
  });

  test('that are none hold without a request', async () => {
    const { namespace, request, target } = await openLedger();
    expect(await target.validate(request, [], 'k')).toEqual({ kind: 'hold' });
    expect(namespace.requests()).toEqual([]);
  });

  test('are not captured for what is no request', async () => {
    const { namespace, target } = await openLedger();
    await expect(target.capture({ operation: 'post' })).rejects.toThrow(/Request to post/);
    expect(namespace.requests()).toEqual([]);
  });

  const account = 'acc_1';
  const reference = 'ref_1';
  const request = { operation: 'post', account, reference, amountMinor: 2000, currency: 'eur' };
  const state = { account, reference, limitMinor: 5, version: 1, entries: [], hasMore: false };
  const entry = { id: 'k', amountMinor: 1, currency: 'eur', reversed: false, versions: [1] };
  test.each<[string, string]>([
    ['a 401', httpReply(401, { error: { code: 'unauthorized', message: 'raw-token' } })],
    ['a 500', httpReply(500, { error: { code: 'internal', message: 'no' } })],
    ['a page of HTML', httpReply(200, '<html>')],
    ['another account', httpReply(200, { ...state, account: 'acc_2' })],
    ['another reference', httpReply(200, { ...state, reference: 'ref_2' })],
    ['a list that goes on', httpReply(200, { ...state, hasMore: true })],
    ['no version', httpReply(200, { ...state, version: null })],
    ['no limit', httpReply(200, { ...state, limitMinor: '5' })],
    [
      'an entry that does not say whether it is reversed',
      httpReply(200, { ...state, entries: [{ ...entry, reversed: null }] }),
    ],
    [
      'an entry without versions',
      httpReply(200, { ...state, entries: [{ ...entry, versions: null }] }),
    ],
    ['an answer cut short', httpReply(200, state).slice(0, -2)],
    ['a close', ''],
  ])('that meet %s hold as little as they fail', async (_, reply) => {
    const target = openFenceTarget(await openAnsweringServer(reply));
    const fact = `${account}/${reference}.version`;
    const premises = [{ kind: 'version-unchanged', fact, value: 1 }] as const;
    const check = await target.validate(request, premises, 'k');
    expect(check).toMatchObject({ kind: 'could-not-tell' });
    expect(JSON.stringify(check)).not.toContain('raw-token');
    await expect(target.capture(request)).rejects.toThrow(
      /^Expected to read acc_1\/ref_1; (?!.*raw-token)/,
    );
  });

  test('that are younger than what is read could not be told', async () => {
    const target = openFenceTarget(await openAnsweringServer(httpReply(200, state)));
    const fact = `${account}/${reference}.version`;
    const premises = [{ kind: 'version-unchanged', fact, value: 2 }] as const;
    expect(await target.validate(request, premises, 'k')).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/version 1, which was read, is older/),
    });
  });
});

describe('a reversed entry', () => {
  test('says so wherever it is shown, and is the one that its id still names', async () => {
    const { namespace, request, world, apply, askAsPerson } = await openLedger();
    await apply();
    const [{ entityId } = { entityId: '' }] = await namespace.effects();
    const shown = { entry: entityId, id: 'ours', amountMinor: request.amountMinor };
    const lookUp = async () => (await askAsPerson('GET', '/entries/ours')).body.entries;
    expect(await lookUp()).toMatchObject([{ ...shown, reversed: false, versions: [1] }]);
    await world('undone-by-hand');
    expect(await lookUp()).toMatchObject([{ ...shown, reversed: true, versions: [1, 2] }]);
    const { body } = await askAsPerson('PUT', '/entries/ours/fence');
    expect(body).toMatchObject({ fence: null, entries: [{ ...shown, reversed: true }] });
  });

  test('is what a fence finds, so that nothing is planted and nobody posts again', async () => {
    const { namespace, request, target, apply, world } = await openLedger();
    await apply();
    await world('undone-by-hand');
    const [{ entityId } = { entityId: '' }] = await namespace.effects();
    expect(await target.fence({ key: 'ours', request })).toEqual({ kind: 'found', entityId });
    expect(await target.query({ key: 'ours', request })).toEqual({ kind: 'found', entityId });
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('that took a fence over still keeps every other posting out', async () => {
    const { namespace, request, target, apply, world } = await openLedger();
    await target.fence({ key: 'ours', request });
    await apply(2);
    await world('undone-by-hand');
    for (const attempt of [1, 3]) expect(await apply(attempt)).toMatchObject({ kind: 'refused' });
    expect(await namespace.effects()).toHaveLength(1);
  });
});

describe('people', () => {
  test('reverse an entry once', async () => {
    const { namespace, apply, askAsPerson } = await openLedger();
    await apply();
    const [{ entityId } = { entityId: '' }] = await namespace.effects();
    const reverse = (entry: string) => askAsPerson('POST', '/reversals', { entry });
    expect(await reverse(entityId)).toMatchObject({ status: 200, body: { reversed: true } });
    expect(await reverse(entityId)).toMatchObject({ status: 409, body: { error: {} } });
    expect(await reverse('ent_none')).toMatchObject({ status: 404, body: { error: {} } });
  });

  test('set a limit, beyond which the ledger posts all the same', async () => {
    const { request, apply, askAsPerson } = await openLedger();
    const path = `/accounts/${request.account}`;
    expect(await askAsPerson('PUT', path, { limitMinor: 1 })).toEqual({
      status: 200,
      body: { account: request.account, limitMinor: 1 },
    });
    expect(await apply()).toMatchObject({ kind: 'landed' });
  });

  test.each<[string, string, JsonObject]>([
    ['PUT', '/accounts/a', { limitMinor: 0 }],
    ['PUT', '/accounts/a', { limit: 5 }],
    ['POST', '/reversals', { entry: 7 }],
    ['POST', '/reversals', {}],
  ])('are told what is wrong with %s %s %o', async (method, path, body) => {
    const { askAsPerson } = await openLedger();
    expect(await askAsPerson(method, path, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid' } },
    });
  });

  test('change under other references and in other accounts what no premise speaks of', async () => {
    const { namespace, place, world } = await openLedger();
    await world('unrelated-change');
    const subjects = (await namespace.effects()).map(({ subject }) => subject);
    expect(new Set(subjects).size).toBe(2);
    expect(subjects).not.toContain(place);
  });

  test('do nothing to a request that names no reference', async () => {
    const { namespace } = await openLedger();
    await expect(namespace.world('done-by-hand', {})).rejects.toThrow(
      /account and a reference; came/,
    );
  });
});

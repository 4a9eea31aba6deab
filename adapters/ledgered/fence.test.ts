import { describe, expect, test } from 'vitest';
import type { ApplyResult, JsonObject } from '../target.ts';
import {
  httpReply,
  openAnsweringServer,
  openFenceTarget,
  openNamespace,
} from './testing/loopback.ts';

async function openLedger(options: JsonObject = {}) {
  const namespace = await openNamespace(options);
  const { request } = namespace.examples(1);
  const target = openFenceTarget(namespace);
  const key = 'ours';
  return {
    namespace,
    target,
    apply: (attempt: number) => target.apply({ key, request, attempt }),
    fence: () => target.fence({ key, request }),
    query: () => target.query({ key, request }),
    countEntries: async () => (await namespace.effects()).length,
  };
}

function entityOf(result: ApplyResult): string {
  if (result.kind === 'landed') return result.entityId;
  throw new Error(`expected landed, came ${JSON.stringify(result)}`);
}

/** The attempt has arrived whole and takes effect only when told to. */
async function holdAttempt(ledger: Awaited<ReturnType<typeof openLedger>>, attempt: number) {
  const held = ledger.namespace.hold();
  const answer = ledger.apply(attempt);
  await held.reached;
  return {
    land: () => {
      held.release();
      return answer;
    },
  };
}

describe('a fence', () => {
  test('planted first stops the orphan that arrives later: it is refused and posts nothing', async () => {
    const ledger = await openLedger();
    const orphan = await holdAttempt(ledger, 1);
    expect(await ledger.fence()).toEqual({ kind: 'planted' });
    expect(await orphan.land()).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringMatching(/412 fenced/),
    });
    expect(await ledger.countEntries()).toBe(0);
  });

  test('that comes after the orphan finds its entry and changes nothing', async () => {
    const ledger = await openLedger();
    const entityId = entityOf(await ledger.apply(1));
    expect(await ledger.fence()).toEqual({ kind: 'found', entityId });
    expect(await ledger.query()).toEqual({ kind: 'found', entityId });
    expect(await ledger.countEntries()).toBe(1);
  });

  test('is taken over by the resend, in the transaction that posts', async () => {
    const ledger = await openLedger();
    await ledger.fence();
    const entityId = entityOf(await ledger.apply(2));
    expect(await ledger.fence()).toEqual({ kind: 'found', entityId });
    expect(await ledger.countEntries()).toBe(1);
  });

  test('stops the orphan of the first attempt after it was taken over too', async () => {
    const ledger = await openLedger();
    const orphan = await holdAttempt(ledger, 1);
    await ledger.fence();
    await ledger.apply(2);
    expect(await orphan.land()).toMatchObject({ kind: 'refused' });
    expect(await ledger.countEntries()).toBe(1);
  });

  test('planted again stops a resend that has read the one before', async () => {
    const ledger = await openLedger();
    await ledger.fence();
    const resend = await holdAttempt(ledger, 2);
    expect(await ledger.fence()).toEqual({ kind: 'planted' });
    expect(await resend.land()).toMatchObject({ kind: 'refused', mendable: true });
    expect(await ledger.countEntries()).toBe(0);
    expect(await ledger.apply(3)).toMatchObject({ kind: 'landed', stamp: 'ours' });
    expect(await ledger.countEntries()).toBe(1);
  });

  test('met by a resend that does not take it over is no success', async () => {
    const ledger = await openLedger();
    await ledger.fence();
    expect(await ledger.apply(1)).toMatchObject({ kind: 'refused', mendable: true });
    expect(await ledger.countEntries()).toBe(0);
  });

  test('is taken over once, however many resends race for it', async () => {
    const ledger = await openLedger();
    await ledger.fence();
    const racers = [await holdAttempt(ledger, 2), await holdAttempt(ledger, 3)];
    const results = await Promise.all(racers.map((racer) => racer.land()));
    expect(results.map(({ kind }) => kind).sort()).toEqual(['landed', 'refused']);
    expect(await ledger.countEntries()).toBe(1);
  });

  test('races the orphan to exactly one of the two: it stands, or the entry does', async () => {
    for (let round = 0; round < 20; round += 1) {
      const ledger = await openLedger();
      const [sent, fenced] = await Promise.all([ledger.apply(1), ledger.fence()]);
      const landed = await ledger.countEntries();
      expect([sent.kind, fenced.kind, landed]).toEqual(
        landed === 1 ? ['landed', 'found', 1] : ['refused', 'planted', 0],
      );
    }
  });

  test('of one decision does not stop another', async () => {
    const ledger = await openLedger();
    await ledger.fence();
    const { request } = ledger.namespace.examples(1);
    expect(await ledger.target.apply({ key: 'other', request, attempt: 1 })).toMatchObject({
      kind: 'landed',
      stamp: 'other',
    });
  });

  test('is known to make no effect, and a posting is not', async () => {
    const { namespace } = await openLedger();
    expect(namespace.makesNoEffect({ method: 'PUT', path: '/entries/a%2Fb/fence' })).toBe(true);
    expect(namespace.makesNoEffect({ method: 'POST', path: '/entries' })).toBe(false);
    expect(namespace.makesNoEffect({ method: 'POST', path: '/entries/fence' })).toBe(false);
  });
});

describe('a further attempt', () => {
  test('reads the fence and posts once: two requests, one of them mutating', async () => {
    const { namespace, apply, fence } = await openLedger();
    await fence();
    await apply(2);
    expect(namespace.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PUT /entries/ours/fence',
      'GET /entries/ours/fence',
      'POST /entries',
    ]);
  });

  test('posts plainly where nobody has fenced', async () => {
    const ledger = await openLedger();
    expect(await ledger.apply(2)).toMatchObject({ kind: 'landed' });
  });

  test('that nobody fenced for is a second entry: the service deduplicates nothing', async () => {
    const ledger = await openLedger();
    await ledger.apply(1);
    await ledger.apply(2);
    expect(await ledger.countEntries()).toBe(2);
    expect(await ledger.query()).toMatchObject({ kind: 'many' });
    expect(await ledger.fence()).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringMatching(/several/),
    });
  });

  test('under a fence that has been taken over is refused', async () => {
    const ledger = await openLedger();
    await ledger.fence();
    await ledger.apply(2);
    expect(await ledger.apply(3)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/taken over/),
    });
    expect(await ledger.countEntries()).toBe(1);
  });

  test.each([
    ['a 500', httpReply(500, { error: { code: 'internal', message: 'no' } })],
    ['a page of HTML', httpReply(200, '<html>')],
    ['the fence of another id', httpReply(200, { id: 'x', fence: null })],
    ['nothing', ''],
  ])('that reads %s instead of the fence sends nothing', async (_, reply) => {
    const server = await openAnsweringServer(reply);
    const { request } = (await openNamespace()).examples(1);
    const result = await openFenceTarget(server).apply({ key: 'ours', request, attempt: 2 });
    expect(result).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringMatching(/^Nothing was sent/),
    });
    expect(server.received).toHaveLength(1);
  });
});

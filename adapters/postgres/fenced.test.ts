import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../target.ts';
import type { PostgresRailNamespace } from './rail.ts';
import {
  connect,
  countEffects,
  entityOf,
  openFencedTarget,
  openNamespace,
  untilEffects,
} from './testing/database.ts';
import { openRelay, type Passage } from './testing/relay.ts';

async function openFenced(options: JsonObject = {}) {
  const namespace = await openNamespace();
  const { request } = namespace.examples(1);
  const key = 'ours';
  const target = openFencedTarget(namespace, options);
  return {
    namespace,
    target,
    request,
    apply: (attempt: number) => target.apply({ key, request, attempt }),
    fence: () => target.fence({ key, request }),
    query: () => target.query({ key, request }),
  };
}

/** An attempt of another process, whose next cycle that begins so stands still on the way. */
async function delayAttempt(namespace: PostgresRailNamespace, attempt: number, begins: string) {
  let pass: () => void = () => undefined;
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const { endpoint } = await openRelay(
    namespace.endpoint,
    (sql: string, { server }: Passage, bytes: Buffer) => {
      if (!sql.startsWith(begins)) return true;
      pass = () => server.write(bytes);
      reach();
      return false;
    },
  );
  const target = openFencedTarget({ ...namespace, endpoint });
  const { request } = namespace.examples(1);
  const answer = target.apply({ key: 'ours', request, attempt });
  await reached;
  return {
    land: () => {
      pass();
      return answer;
    },
  };
}

describe('a fence', () => {
  test('planted first stops the orphan that arrives later: it is refused and writes nothing', async () => {
    const { namespace, fence, query } = await openFenced();
    const orphan = await delayAttempt(namespace, 1, 'WITH');
    expect(await fence()).toEqual({ kind: 'planted' });
    expect(await orphan.land()).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringContaining('fence'),
    });
    expect(await namespace.effects()).toEqual([]);
    expect(await query()).toEqual({ kind: 'absent', complete: true });
  });

  test('that comes after the orphan finds its credit and changes nothing', async () => {
    const { namespace, apply, fence, query } = await openFenced();
    const entityId = entityOf(await apply(1));
    expect(await fence()).toEqual({ kind: 'found', entityId });
    expect(await query()).toEqual({ kind: 'found', entityId });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('waits for an orphan at its COMMIT, and finds it', async () => {
    const { namespace, apply } = await openFenced();
    const held = namespace.hold();
    await held.armed;
    const orphan = apply(1);
    await held.reached;
    const { request } = namespace.examples(1);
    const fenced = openFencedTarget(namespace).fence({ key: 'ours', request });
    held.release();
    const entityId = entityOf(await orphan);
    expect(await fenced).toEqual({ kind: 'found', entityId });
  });

  test('can’t be told while the orphan stays at its COMMIT for longer than the client waits', async () => {
    const { namespace, apply } = await openFenced();
    const held = namespace.hold();
    await held.armed;
    const orphan = apply(1);
    await held.reached;
    const { request } = namespace.examples(1);
    const impatient = openFencedTarget(namespace, { clientTimeoutMs: 150 });
    expect(await impatient.fence({ key: 'ours', request })).toMatchObject({
      kind: 'could-not-tell',
      detail: expect.stringContaining('55P03'),
    });
    held.release();
    const entityId = entityOf(await orphan);
    expect(await impatient.fence({ key: 'ours', request })).toEqual({ kind: 'found', entityId });
  });

  test('is taken over by the resend, in the transaction that credits', async () => {
    const { namespace, apply, fence } = await openFenced();
    await fence();
    const entityId = entityOf(await apply(2));
    expect(await fence()).toEqual({ kind: 'found', entityId });
    const client = await connect(namespace);
    expect((await client.query('SELECT kind,entity_id FROM effects')).rows).toEqual([
      { kind: 'effect', entity_id: entityId },
    ]);
  });

  test('stops the orphan of the first attempt after it was taken over too', async () => {
    const { namespace, apply, fence } = await openFenced();
    const orphan = await delayAttempt(namespace, 1, 'WITH');
    await fence();
    const entityId = entityOf(await apply(2));
    expect(await orphan.land()).toEqual({ kind: 'landed', entityId, stamp: 'ours' });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('planted again stops a resend that has read the one before', async () => {
    const { namespace, apply, fence } = await openFenced();
    await fence();
    const resend = await delayAttempt(namespace, 2, 'WITH');
    expect(await fence()).toEqual({ kind: 'planted' });
    expect(await resend.land()).toMatchObject({ kind: 'refused', mendable: true });
    expect(await namespace.effects()).toEqual([]);
    expect(await apply(3)).toMatchObject({ kind: 'landed', stamp: 'ours' });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('planted again waits for a resend at its COMMIT, and finds it', async () => {
    const { namespace, apply, fence } = await openFenced();
    await fence();
    const held = namespace.hold();
    await held.armed;
    const resend = apply(2);
    await held.reached;
    const { request } = namespace.examples(1);
    const fenced = openFencedTarget(namespace).fence({ key: 'ours', request });
    held.release();
    expect(await fenced).toEqual({ kind: 'found', entityId: entityOf(await resend) });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('met by a first attempt is no success', async () => {
    const { namespace, apply, fence } = await openFenced();
    await fence();
    expect(await apply(1)).toMatchObject({ kind: 'refused', mendable: true });
    expect(await namespace.effects()).toEqual([]);
  });

  test('is taken over once, however many resends race for it', async () => {
    const { namespace, fence } = await openFenced();
    await fence();
    const racers = [
      await delayAttempt(namespace, 2, 'WITH'),
      await delayAttempt(namespace, 3, 'WITH'),
    ];
    const results = await Promise.all(racers.map((racer) => racer.land()));
    expect(new Set(results.map(entityOf)).size).toBe(1);
    expect(await countEffects(namespace)).toBe(1);
  });

  test('races the orphan to exactly one of the two: it stands, or the credit does', async () => {
    const { namespace, request } = await openFenced();
    const sender = openFencedTarget(namespace);
    const fencer = openFencedTarget(namespace);
    for (let round = 0; round < 30; round += 1) {
      const key = `round ${round}`.replace(' ', '-');
      const before = await countEffects(namespace);
      const [sent, fenced] = await Promise.all([
        sender.apply({ key, request, attempt: 1 }),
        fencer.fence({ key, request }),
      ]);
      const landed = (await countEffects(namespace)) - before;
      expect([sent.kind, fenced.kind, landed]).toEqual(
        landed === 1 ? ['landed', 'found', 1] : ['refused', 'planted', 0],
      );
    }
  });

  test('of one decision does not stop another', async () => {
    const { target, request, fence } = await openFenced();
    await fence();
    expect(await target.apply({ key: 'other', request, attempt: 1 })).toMatchObject({
      kind: 'landed',
    });
  });

  test('whose COMMIT was lost could not be told, and stands', async () => {
    const { namespace, request } = await openFenced();
    const { endpoint } = await openRelay(namespace.endpoint, (sql, passage) => {
      if (sql !== 'COMMIT') return true;
      passage.silence = true;
      passage.heard = () => passage.client.resetAndDestroy();
      return true;
    });
    const far = openFencedTarget({ ...namespace, endpoint });
    expect(await far.fence({ key: 'ours', request })).toMatchObject({ kind: 'could-not-tell' });
    const near = openFencedTarget(namespace);
    await expect
      .poll(() => near.apply({ key: 'ours', request, attempt: 1 }), { timeout: 5_000 })
      .toMatchObject({ kind: 'refused' });
  });
});

describe('a further attempt', () => {
  test('that nobody fenced for credits plainly', async () => {
    const { namespace, apply } = await openFenced();
    expect(await apply(2)).toMatchObject({ kind: 'landed' });
    await untilEffects(namespace, 1);
  });

  test('that finds an effect of the same payload is told of it', async () => {
    const { namespace, apply } = await openFenced();
    const entityId = entityOf(await apply(1));
    expect(await apply(2)).toEqual({ kind: 'landed', entityId, stamp: 'ours' });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('that finds one of another payload is refused for good', async () => {
    const { namespace, target, apply } = await openFenced();
    await apply(1);
    const { changed } = namespace.examples(1);
    expect(await target.apply({ key: 'ours', request: changed, attempt: 2 })).toMatchObject({
      kind: 'refused',
      mendable: false,
    });
  });
});

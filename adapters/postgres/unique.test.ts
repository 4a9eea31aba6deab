import { describe, expect, test } from 'vitest';
import type { PostgresRailNamespace } from './rail.ts';
import {
  connect,
  countEffects,
  entityOf,
  openNamespace,
  openTarget,
  rowsOf,
  untilIdle,
} from './testing/database.ts';
import { openRelay } from './testing/relay.ts';

async function openUnique(clientTimeoutMs = 3_000) {
  const namespace = await openNamespace();
  const { request } = namespace.examples(1);
  const open = () => openTarget(namespace, 'unique', { clientTimeoutMs });
  const target = open();
  return {
    namespace,
    request,
    target,
    apply: (attempt: number) => target.apply({ key: 'ours', request, attempt }),
    /** From another connection, as another process would. */
    applyElsewhere: (attempt: number) => open().apply({ key: 'ours', request, attempt }),
    query: () => target.query({ key: 'ours', request }),
  };
}

/** The row of a key, held by a transaction that is not over. */
async function holdKey(namespace: PostgresRailNamespace, key: string) {
  const client = await connect(namespace);
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO effects (effect_key,kind,payload,entity_id) VALUES ($1,'effect','{}',gen_random_uuid())`,
    [key],
  );
  return client;
}

/** Resolves when somebody waits for a lock of this database. */
async function untilWaiting(namespace: PostgresRailNamespace): Promise<void> {
  const client = await connect(namespace);
  await expect
    .poll(async () => (await rowsOf(client, 'SELECT FROM pg_locks WHERE NOT granted')).length, {
      timeout: 5_000,
      interval: 5,
    })
    .toBeGreaterThan(0);
}

describe('a key', () => {
  test('makes one credit, however often it is sent, and answers with the same one', async () => {
    const { namespace, apply, applyElsewhere } = await openUnique();
    const entityId = entityOf(await apply(1));
    expect(await apply(2)).toEqual({ kind: 'landed', entityId, stamp: 'ours' });
    expect(await applyElsewhere(3)).toEqual({ kind: 'landed', entityId, stamp: 'ours' });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('still makes none when the credit was undone: its row outlives the credit', async () => {
    const { namespace, request, apply, query } = await openUnique();
    const entityId = entityOf(await apply(1));
    await namespace.world('undone-by-hand', request);
    expect(await query()).toEqual({ kind: 'found', entityId });
    expect(await apply(2)).toMatchObject({ kind: 'landed', entityId });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('with another payload is refused for good, and names what it is taken by', async () => {
    const { namespace, target, apply } = await openUnique();
    const entityId = entityOf(await apply(1));
    const { changed } = namespace.examples(1);
    expect(await target.apply({ key: 'ours', request: changed, attempt: 2 })).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringContaining(entityId),
    });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('of another decision makes a second credit of equal substance', async () => {
    const { namespace, target, request, apply } = await openUnique();
    const first = entityOf(await apply(1));
    const second = entityOf(await target.apply({ key: 'other', request, attempt: 1 }));
    expect(second).not.toBe(first);
    expect(await countEffects(namespace)).toBe(2);
  });

  test('sent by many at once makes one credit, and all are told of it', async () => {
    const { namespace, applyElsewhere } = await openUnique();
    const results = await Promise.all([1, 2, 3, 4, 5, 6].map((attempt) => applyElsewhere(attempt)));
    expect(new Set(results.map(entityOf)).size).toBe(1);
    expect(await countEffects(namespace)).toBe(1);
  });

  test('sent twice through one target at once makes one credit', async () => {
    const { namespace, apply } = await openUnique();
    const results = await Promise.all([apply(1), apply(2)]);
    expect(new Set(results.map(entityOf)).size).toBe(1);
    expect(await countEffects(namespace)).toBe(1);
  });
});

describe('an attempt that meets one whose fate is open', () => {
  test('waits, and loses when that one commits', async () => {
    const { namespace, request, target, apply, applyElsewhere } = await openUnique();
    const held = namespace.hold();
    await held.armed;
    const first = apply(1);
    await held.reached;
    const second = applyElsewhere(2);
    await untilWaiting(namespace);
    held.release();
    const entityId = entityOf(await first);
    expect(await second).toEqual({ kind: 'landed', entityId, stamp: 'ours' });
    expect(await countEffects(namespace)).toBe(1);
    expect(await target.query({ key: 'ours', request })).toEqual({ kind: 'found', entityId });
  });

  test('waits, and wins when that one rolls back', async () => {
    const { namespace, apply } = await openUnique();
    const other = await holdKey(namespace, 'ours');
    const answer = apply(1);
    await untilWaiting(namespace);
    await other.query('ROLLBACK');
    expect(await answer).toMatchObject({ kind: 'landed', stamp: 'ours' });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('gives up before its client does: 55P03, which is in flight', async () => {
    const { namespace, apply } = await openUnique(400);
    const other = await holdKey(namespace, 'ours');
    expect(await apply(2)).toMatchObject({
      kind: 'unknown',
      cause: 'in-flight',
      detail: expect.stringContaining('55P03'),
    });
    await other.query('ROLLBACK');
    // The same connection goes on working.
    expect(await apply(3)).toMatchObject({ kind: 'landed' });
  });

  test('sees nothing of it in a lookup, which is why absence is never final', async () => {
    const { namespace, apply, query, target } = await openUnique();
    const held = namespace.hold();
    await held.armed;
    const answer = apply(1);
    await held.reached;
    const elsewhere = openTarget(namespace, 'unique');
    const { request } = namespace.examples(1);
    expect(await elsewhere.query({ key: 'ours', request })).toEqual({
      kind: 'absent',
      complete: true,
    });
    expect(target.declaration.absence).toBe('never');
    held.release();
    const entityId = entityOf(await answer);
    expect(await query()).toEqual({ kind: 'found', entityId });
  });
});

describe('an orphan', () => {
  test('that dies before its COMMIT leaves the key to the next', async () => {
    const { namespace, apply } = await openUnique();
    const { endpoint } = await openRelay(namespace.endpoint, (sql, { client }) => {
      if (sql !== 'COMMIT') return true;
      client.resetAndDestroy();
      return false;
    });
    const { request } = namespace.examples(1);
    const dying = openTarget({ ...namespace, endpoint }, 'unique');
    expect(await dying.apply({ key: 'ours', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
    });
    expect(await apply(2)).toMatchObject({ kind: 'landed', stamp: 'ours' });
    expect(await countEffects(namespace)).toBe(1);
  });
});

describe('a lost conflict', () => {
  test('is no row under READ COMMITTED, and an error under a stricter level', async () => {
    const { namespace, apply } = await openUnique();
    const insert = `INSERT INTO effects (effect_key,kind) VALUES ('ours','fence') ON CONFLICT DO NOTHING`;
    const strict = await connect(namespace);
    await strict.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await strict.query('SELECT FROM effects');
    const plain = await connect(namespace);
    await plain.query('BEGIN');
    await plain.query('SELECT FROM effects');
    entityOf(await apply(1));
    expect((await plain.query(insert)).rowCount).toBe(0);
    await expect(strict.query(insert)).rejects.toMatchObject({ code: '40001' });
  });
});

describe('a fence of a fenced target', () => {
  test('stops a unique one, and is no effect in its lookup', async () => {
    const { namespace, apply, query } = await openUnique();
    const client = await connect(namespace);
    await client.query(`INSERT INTO effects (effect_key,kind) VALUES ('ours','fence')`);
    expect(await apply(2)).toMatchObject({ kind: 'refused', mendable: true });
    expect(await query()).toEqual({ kind: 'absent', complete: true });
  });
});

describe('one call', () => {
  test('is one transaction of three cycles', async () => {
    const { namespace, request } = await openUnique();
    const relay = await openRelay(namespace.endpoint);
    const target = openTarget({ ...namespace, endpoint: relay.endpoint }, 'unique');
    entityOf(await target.apply({ key: 'ours', request, attempt: 1 }));
    expect(relay.texts.map((sql) => sql.split(' ')[0])).toEqual(['BEGIN', 'WITH', 'COMMIT']);
    entityOf(await target.apply({ key: 'ours', request, attempt: 2 }));
    expect(relay.texts.slice(3).map((sql) => sql.split(' ')[0])).toEqual([
      'BEGIN',
      'WITH',
      'SELECT',
      'ROLLBACK',
    ]);
    await untilIdle(namespace);
  });
});

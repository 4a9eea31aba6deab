/**
 * What a commit proves, for every variant: the network breaks around it, the server refuses, warns, or
 * rolls back. All against a real server.
 */
import { describe, expect, test } from 'vitest';
import type { ApplyResult } from '../target.ts';
import type { PostgresRailNamespace } from './rail.ts';
import {
  connect,
  countEffects,
  entityOf,
  openNamespace,
  openTarget,
  untilEffects,
  untilIdle,
  variants,
} from './testing/database.ts';
import { endsReply, openRelay, type Passage, queryMessage } from './testing/relay.ts';

type Meet = (passage: Passage, bytes: Buffer) => boolean;

/** A target that meets this at its COMMIT. */
async function openRelayed(variant: (typeof variants)[number], meet: Meet) {
  const namespace = await openNamespace();
  const { endpoint } = await openRelay(namespace.endpoint, (sql, passage, bytes) =>
    sql === 'COMMIT' ? meet(passage, bytes) : true,
  );
  const target = openTarget({ ...namespace, endpoint }, variant, { clientTimeoutMs: 400 });
  const { request } = namespace.examples(1);
  return { namespace, target, apply: () => target.apply({ key: 'ours', request, attempt: 1 }) };
}

/** Something a trigger does at COMMIT, for whoever commits. */
async function atCommit(namespace: PostgresRailNamespace, body: string): Promise<void> {
  await namespace.administer(`CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$;
     CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON credits DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION at_commit()`);
}

const lost: ReadonlyArray<readonly [string, Meet, string]> = [
  [
    'is reset before it is answered',
    (passage) => {
      passage.silence = true;
      passage.heard = () => passage.client.resetAndDestroy();
      return true;
    },
    'connection',
  ],
  [
    'is closed before it is answered',
    (passage) => {
      passage.silence = true;
      passage.heard = () => passage.client.end();
      return true;
    },
    'connection',
  ],
  [
    'is never answered',
    (passage) => {
      passage.silence = true;
      return true;
    },
    'timeout',
  ],
];

describe.each(variants)('a COMMIT of %s', (variant) => {
  test.each(lost)('that %s is unknown, and landed', async (_, meet, cause) => {
    const { namespace, target, apply } = await openRelayed(variant, meet);
    expect(await apply()).toMatchObject({ kind: 'unknown', cause });
    await untilEffects(namespace, 1);
    const [effect] = await namespace.effects();
    const direct = openTarget(namespace, variant);
    const { request } = namespace.examples(1);
    expect(await direct.query({ key: 'ours', request })).toEqual({
      kind: 'found',
      entityId: effect?.entityId,
    });
    await target.close?.();
  });

  test('that never arrives is unknown, and nothing landed', async () => {
    const { namespace, apply } = await openRelayed(variant, (passage) => {
      passage.client.resetAndDestroy();
      return false;
    });
    expect(await apply()).toMatchObject({ kind: 'unknown', cause: 'connection' });
    await untilIdle(namespace);
    expect(await namespace.effects()).toEqual([]);
  });

  test('whose transaction had failed is answered with the tag ROLLBACK: refused, not landed', async () => {
    const { namespace, apply } = await openRelayed(variant, (passage, bytes) => {
      // A failure the client is never told of, as behind a pooler.
      passage.silence = true;
      passage.heard = (reply) => {
        if (!endsReply(reply)) return;
        passage.silence = false;
        passage.server.write(bytes);
      };
      passage.server.write(queryMessage('SELECT 1/0'));
      return false;
    });
    expect(await apply()).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringContaining('ROLLBACK'),
    });
    expect(await namespace.effects()).toEqual([]);
  });

  test('that came with a warning is unknown, also when it landed', async () => {
    const namespace = await openNamespace();
    await atCommit(namespace, "RAISE WARNING 'the wait for the standby was cancelled'");
    const { request } = namespace.examples(1);
    const result = await openTarget(namespace, variant).apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject({
      kind: 'unknown',
      cause: 'server-error',
      detail: expect.stringContaining('standby'),
    });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('that came with a mere notice landed', async () => {
    const namespace = await openNamespace();
    await atCommit(namespace, "RAISE NOTICE 'hello'");
    const { request } = namespace.examples(1);
    const result = await openTarget(namespace, variant).apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject({ kind: 'landed', stamp: 'k' });
  });

  test('refused by a deferred trigger is refused for good', async () => {
    const namespace = await openNamespace();
    await atCommit(namespace, "RAISE EXCEPTION 'over the limit'");
    const { request } = namespace.examples(1);
    const result = await openTarget(namespace, variant).apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringContaining('over the limit'),
    });
    expect(await namespace.effects()).toEqual([]);
  });

  test('ended by an administrator is unknown, whatever became of it', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    const { request } = namespace.examples(1);
    const answer = openTarget(namespace, variant).apply({ key: 'k', request, attempt: 1 });
    await held.reached;
    await namespace.world('rail-restarted', request);
    expect(await answer).toMatchObject({ kind: 'unknown' });
    await untilIdle(namespace);
    expect(await namespace.effects()).toEqual([]);
  });

  test('outlives the patience of its client: unknown, and it lands afterwards', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    const { request } = namespace.examples(1);
    const target = openTarget(namespace, variant, { clientTimeoutMs: 200 });
    expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'timeout',
    });
    await held.reached;
    expect(await namespace.idle()).toBe(false);
    expect(await namespace.effects()).toEqual([]);
    held.release();
    await untilEffects(namespace, 1);
    await untilIdle(namespace);
  });
});

describe.each(variants)('before COMMIT, %s', (variant) => {
  async function applyTo(namespace: PostgresRailNamespace): Promise<ApplyResult> {
    const { request } = namespace.examples(1);
    return openTarget(namespace, variant, { clientTimeoutMs: 400 }).apply({
      key: 'k',
      request,
      attempt: 1,
    });
  }
  async function atInsert(namespace: PostgresRailNamespace, body: string): Promise<void> {
    await namespace.administer(`CREATE FUNCTION at_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NEW; END $$;
       CREATE TRIGGER at_insert BEFORE INSERT ON credits FOR EACH ROW EXECUTE FUNCTION at_insert()`);
  }

  test("the server's statement_timeout is refused: 57014, and nothing lands", async () => {
    const namespace = await openNamespace();
    await atInsert(namespace, 'PERFORM pg_sleep(5)');
    expect(await applyTo(namespace)).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringContaining('57014'),
    });
    await untilIdle(namespace);
    expect(await namespace.effects()).toEqual([]);
  });

  test('a rule of the database refuses for good', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const result = await openTarget(namespace, variant).apply({
      key: 'k',
      request: { ...request, account: 'acc_nobody' },
      attempt: 1,
    });
    expect(result).toMatchObject({
      kind: 'refused',
      mendable: false,
      reason: expect.stringContaining('23503'),
    });
  });

  test('a right that is missing can be lifted by a person', async () => {
    const namespace = await openNamespace();
    await namespace.administer(
      `DO $$ DECLARE role text; BEGIN FOR role IN SELECT DISTINCT grantee FROM information_schema.role_table_grants WHERE table_name = 'credits' AND grantee <> current_user LOOP EXECUTE format('REVOKE INSERT ON credits FROM %I', role); END LOOP; END $$`,
    );
    expect(await applyTo(namespace)).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringContaining('42501'),
    });
  });

  test('a backend that is terminated is unknown', async () => {
    const namespace = await openNamespace();
    await atInsert(namespace, 'PERFORM pg_terminate_backend(pg_backend_pid())');
    expect(await applyTo(namespace)).toMatchObject({ kind: 'unknown', cause: 'connection' });
    await untilIdle(namespace);
    expect(await namespace.effects()).toEqual([]);
  });

  test('synchronous_commit=off is the role’s default and not the transaction’s', async () => {
    const namespace = await openNamespace();
    await namespace.administer(
      `ALTER ROLE ${namespace.credentials.user} SET synchronous_commit = off`,
    );
    await atInsert(namespace, "NEW.reason := current_setting('synchronous_commit')");
    const plain = await connect(namespace);
    expect((await plain.query('SHOW synchronous_commit')).rows).toEqual([
      { synchronous_commit: 'off' },
    ]);
    entityOf(await applyTo(namespace));
    expect((await plain.query('SELECT reason FROM credits')).rows).toEqual([{ reason: 'on' }]);
  });

  test('a level that the role has by default is not the transaction’s', async () => {
    const namespace = await openNamespace();
    await namespace.administer(
      `ALTER ROLE ${namespace.credentials.user} SET default_transaction_isolation = 'serializable'`,
    );
    await atInsert(namespace, "NEW.reason := current_setting('transaction_isolation')");
    entityOf(await applyTo(namespace));
    const plain = await connect(namespace);
    expect((await plain.query('SELECT reason FROM credits')).rows).toEqual([
      { reason: 'read committed' },
    ]);
  });

  test.each([
    ['synchronous_commit=on', 'synchronous_commit=off', /synchronous_commit = on, found off/],
    ['READ COMMITTED', 'REPEATABLE READ', /read committed, found repeatable read/],
  ])(
    'a server that is not made to take %s is refused before anything is written',
    async (wanted, instead, reason) => {
      const namespace = await openNamespace();
      // Somebody between here and the server, who knows better.
      const { endpoint, texts } = await openRelay(namespace.endpoint, (sql, passage) => {
        if (!sql.startsWith('BEGIN')) return true;
        passage.server.write(queryMessage(sql.replace(wanted, instead)));
        return false;
      });
      const { request } = namespace.examples(1);
      const target = openTarget({ ...namespace, endpoint }, variant);
      expect(await target.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
        kind: 'refused',
        mendable: true,
        reason: expect.stringMatching(reason),
      });
      expect(texts.map((sql) => sql.split(' ')[0])).toEqual(['BEGIN', 'ROLLBACK']);
    },
  );

  test('a role that may only read is refused', async () => {
    const namespace = await openNamespace();
    await namespace.administer(
      `ALTER ROLE ${namespace.credentials.user} SET default_transaction_read_only = on`,
    );
    expect(await applyTo(namespace)).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringContaining('25006'),
    });
  });
});

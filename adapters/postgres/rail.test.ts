import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRail, type PostgresRailNamespace } from './rail.ts';
import {
  connect,
  connectPerson,
  countEffects,
  entityOf,
  openFencedTarget,
  openNamespace,
  openTarget,
  untilEffects,
  untilIdle,
} from './testing/database.ts';
import { openRelay } from './testing/relay.ts';

const insert = `INSERT INTO credits (account,reference,amount_minor,currency) VALUES ('acc_0001','ref_1',2000,'eur')`;

/** Another process, in the middle of its COMMIT. */
function startDying({ endpoint, credentials }: PostgresRailNamespace): ChildProcess {
  const program = fileURLToPath(new URL('testing/dies-in-commit.mjs', import.meta.url));
  const { user, password, database } = credentials;
  const child = spawn(
    process.execPath,
    [program, endpoint.host, String(endpoint.port), ...[user, password, database].map(String)],
    { stdio: 'ignore' },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

describe('a namespace', () => {
  test('keeps a journal of what took effect, which a deletion leaves alone', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const entityId = entityOf(
      await openTarget(namespace, 'unique').apply({ key: 'ours', request, attempt: 1 }),
    );
    await namespace.world('undone-by-hand', request);
    const person = await connectPerson(namespace);
    expect((await person.query('SELECT FROM credits')).rowCount).toBe(0);
    expect(await namespace.effects()).toEqual([
      {
        entityId,
        stamp: 'ours',
        actor: 'subject',
        subject: `${request.account}/${request.reference}`,
        substance: { amountMinor: request.amountMinor, currency: request.currency },
        atMs: expect.closeTo(Date.now(), -5),
      },
    ]);
  });

  test('knows whose effect it is by the role that logged in', async () => {
    const namespace = await openNamespace();
    await (await connect(namespace)).query(insert);
    await (await connectPerson(namespace)).query(insert);
    expect((await namespace.effects()).map(({ actor }) => actor)).toEqual(['subject', 'person']);
  });

  test('shows nothing of what was rolled back', async () => {
    const namespace = await openNamespace();
    const client = await connect(namespace);
    await client.query(`BEGIN; ${insert}; ROLLBACK`);
    expect(await namespace.effects()).toEqual([]);
  });

  test('lets its roles read and write neither the journal nor holds', async () => {
    const namespace = await openNamespace();
    for (const client of [await connect(namespace), await connectPerson(namespace)]) {
      for (const table of ['killpoint.journal', 'killpoint.holds']) {
        await expect(client.query(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: '42501' });
      }
    }
    await expect((await connect(namespace)).query('DELETE FROM credits')).rejects.toMatchObject({
      code: '42501',
    });
  });

  test('is apart from every other: neither effects nor keys nor logins leak', async () => {
    const [one, other] = [await openNamespace(), await openNamespace()];
    const { request } = one.examples(1);
    expect(other.examples(1).request).toEqual(request);
    const first = await openTarget(one, 'unique').apply({ key: 'k', request, attempt: 1 });
    const second = await openTarget(other, 'unique').apply({ key: 'k', request, attempt: 1 });
    expect(entityOf(first)).not.toBe(entityOf(second));
    expect(await countEffects(one)).toBe(1);
    expect(await countEffects(other)).toBe(1);
    const stranger = openTarget(
      {
        endpoint: one.endpoint,
        credentials: { ...one.credentials, database: String(other.credentials.database) },
      },
      'unique',
    );
    expect(await stranger.apply({ key: 'x', request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: true,
      reason: expect.stringContaining('42501'),
    });
  });

  test('is gone when it is closed, with its roles', async () => {
    const namespace = await openNamespace();
    const client = await connect(namespace);
    await namespace.close();
    const { request } = namespace.examples(1);
    const result = await openTarget(namespace, 'unique').apply({ key: 'k', request, attempt: 1 });
    expect(result).toMatchObject({ kind: 'refused', reason: expect.stringContaining('28P01') });
    await expect(client.query('SELECT 1')).rejects.toThrow();
  });

  test('gives the same examples for the same seed, and others for another', async () => {
    const namespace = await openNamespace();
    expect(namespace.examples(7)).toEqual(namespace.examples(7));
    expect(namespace.examples(7).request).not.toEqual(namespace.examples(8).request);
    const { request, changed, distinct } = namespace.examples(7);
    const target = openTarget(namespace, 'unique');
    expect(target.identify(changed)).toEqual(target.identify(request));
    expect({ ...distinct, distinct: undefined }).toEqual({ ...request, distinct: undefined });
    for (const example of [request, changed, distinct]) {
      await expect(target.capture(example)).resolves.toHaveLength(4);
    }
  });
});

describe('held work', () => {
  test('is a COMMIT that its client’s death does not stop', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    const child = startDying(namespace);
    await held.reached;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await namespace.idle()).toBe(false);
    expect(await namespace.effects()).toEqual([]);
    held.release();
    await untilEffects(namespace, 1);
    await untilIdle(namespace);
  });

  test('is the next credit alone, and the subject’s', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    const { request } = namespace.examples(1);
    await namespace.world('done-by-hand', request);
    const target = openTarget(namespace, 'unique');
    const answer = target.apply({ key: 'k', request, attempt: 1 });
    await held.reached;
    const other = openTarget(namespace, 'unique');
    entityOf(await other.apply({ key: 'l', request, attempt: 1 }));
    held.release();
    entityOf(await answer);
  });

  test('that was released before anything came stops nothing', async () => {
    const namespace = await openNamespace();
    namespace.hold().release();
    await namespace.idle();
    const { request } = namespace.examples(1);
    entityOf(await openTarget(namespace, 'unique').apply({ key: 'k', request, attempt: 1 }));
  });

  test('that is rolled back leaves the hold to the next', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    await (await connect(namespace)).query(`BEGIN; ${insert}; ROLLBACK`);
    const committing = (await connect(namespace)).query(insert);
    await held.reached;
    held.release();
    await committing;
    expect(await countEffects(namespace)).toBe(1);
  });

  test('does not keep a namespace from closing', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    // What it is told depends on what comes first: the end of the hold, or that of its connection.
    const stuck = Promise.allSettled([(await connect(namespace)).query(insert)]);
    await held.reached;
    await namespace.close();
    await stuck;
  });
});

describe('idle', () => {
  test('is false while a transaction is open, and true when it is over', async () => {
    const namespace = await openNamespace();
    const client = await connect(namespace);
    await untilIdle(namespace);
    await client.query('BEGIN');
    expect(await namespace.idle()).toBe(false);
    await client.query('COMMIT');
    await untilIdle(namespace);
  });
});

describe('the world', () => {
  test('restarts: connections break, an open transaction is lost, what was committed stays', async () => {
    const namespace = await openNamespace();
    const client = await connect(namespace);
    const { request } = namespace.examples(1);
    const target = openTarget(namespace, 'unique');
    const entityId = entityOf(await target.apply({ key: 'k', request, attempt: 1 }));
    await client.query(`BEGIN; ${insert}`);
    await namespace.world('rail-restarted', request);
    await expect(client.query('COMMIT')).rejects.toThrow();
    // The target's own connection broke while it was idle: it opens another.
    expect(await target.query({ key: 'k', request })).toEqual({ kind: 'found', entityId });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('is refused admission while it restarts, which is unknown', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const restarting = namespace.world('rail-restarted', request);
    const kinds = new Set<string>();
    const target = openTarget(namespace, 'unique');
    let isOver = false;
    const over = restarting.finally(() => {
      isOver = true;
    });
    for (let attempt = 1; !isOver; attempt += 1) {
      const result = await target.apply({ key: 'k', request, attempt });
      kinds.add(result.kind === 'unknown' ? result.detail.slice(0, 5) : result.kind);
    }
    await over;
    expect([...kinds]).toContain('55000');
    expect(await target.apply({ key: 'k', request, attempt: 99 })).toMatchObject({
      kind: 'landed',
    });
    expect(await countEffects(namespace)).toBe(1);
  });

  test('can’t undo what is not there, nor change an account that is none', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    await namespace.world('done-by-hand', request);
    await expect(namespace.world('undone-by-hand', request)).rejects.toThrow(/there is none/);
    await expect(
      namespace.world('premise-changed', { ...request, account: 'acc_nobody' }),
    ).rejects.toThrow(/acc_nobody/);
  });

  test('offers all six events, and no fault that no primary has', async () => {
    const namespace = await openNamespace();
    expect(namespace.worldEvents).toHaveLength(6);
    expect(namespace.can).toEqual([]);
  });
});

describe('makesNoEffect', () => {
  /** What a wire says of the cycles of one call: the first keyword, and the transaction's text so far. */
  function cyclesOf(texts: readonly string[], joined: string) {
    let transaction: readonly string[] = [];
    return texts.map((sql) => {
      const method = /^\s*(\w+)/.exec(sql)?.[1] ?? '';
      const whole = [...transaction, sql];
      const isOpen = method !== 'COMMIT' && method !== 'ROLLBACK';
      transaction = isOpen && whole[0]?.startsWith('BEGIN') ? whole : [];
      return { method, path: whole.join(joined).slice(0, 400) };
    });
  }

  test.each([';', '\n', '; '])(
    'is false for the COMMIT of a credit alone (joined by %j)',
    async (joined) => {
      const namespace = await openNamespace();
      const { request } = namespace.examples(1);
      const relay = await openRelay(namespace.endpoint);
      const far = { ...namespace, endpoint: relay.endpoint };
      const judge = () =>
        cyclesOf(relay.texts.splice(0), joined).map((cycle) =>
          namespace.makesNoEffect(cycle) ? '' : cycle.method,
        );
      const fenced = openFencedTarget(far, { clientTimeoutMs: 30_000 });
      await fenced.fence({ key: 'k', request });
      await fenced.fence({ key: 'k', request });
      await fenced.query({ key: 'k', request });
      await fenced.capture(request);
      entityOf(await openTarget(namespace, 'unique').apply({ key: 'l', request, attempt: 1 }));
      await openTarget(far, 'unique').apply({ key: 'l', request, attempt: 1 });
      expect(judge().filter((method) => method !== '')).toEqual([]);
      entityOf(await fenced.apply({ key: 'k', request, attempt: 2 }));
      entityOf(await openTarget(far, 'unique').apply({ key: 'u', request, attempt: 1 }));
      entityOf(await openTarget(far, 'lookup').apply({ key: 'v', request, attempt: 1 }));
      expect(judge().filter((method) => method !== '')).toEqual(['COMMIT', 'COMMIT', 'COMMIT']);
    },
  );

  test.each([
    ['INSERT', insert],
    ['COMMIT', 'COMMIT'],
    ['COMMIT', `BEGIN;SELECT ${'1'.repeat(400)}`],
    ['COMMIT', `BEGIN;INSERT INTO effects (effect_key,kind) VALUES ($1,'fence');${insert};COMMIT`],
    ['BEGIN', `BEGIN;${insert};COMMIT`],
    ['SELECT', 'SELECT x INTO y FROM z'],
    ['DO', 'DO $$ BEGIN END $$'],
    ['', ''],
  ])('is false for %s of %j', async (method, path) => {
    expect((await openNamespace()).makesNoEffect({ method, path })).toBe(false);
  });
});

describe('a rail', () => {
  test('says what it can do without a server', async () => {
    const rail = await createRail({ options: {} });
    onTestFinished(() => rail.close());
    const beganMs = performance.now();
    const namespace = await rail.openNamespace('declaration');
    const target = openTarget(namespace, 'fenced');
    expect(target.declaration.absence).toBe('fence');
    expect(namespace.worldEvents).toHaveLength(6);
    expect(performance.now() - beganMs).toBeLessThan(100);
    await expect(namespace.effects()).rejects.toThrow(/declaration/);
  });

  test('shares its server with the others of its program', async () => {
    const shared = await openNamespace();
    const rails = [await createRail({ options: {} }), await createRail({ options: {} })];
    const [one, other] = await Promise.all(rails.map((rail) => rail.openNamespace('a')));
    expect(one?.endpoint).toEqual(shared.endpoint);
    expect(other?.endpoint).toEqual(shared.endpoint);
    await Promise.all(rails.map((rail) => rail.close()));
    expect(await shared.idle()).toBe(true);
  });

  test('refuses an id that is open, options, and an address it can’t read without showing it', async () => {
    const rail = await createRail({ options: {} });
    onTestFinished(() => rail.close());
    await rail.openNamespace('a');
    await expect(rail.openNamespace('a')).rejects.toThrow(/came a again/);
    await expect(createRail({ options: { lagMs: 1 } })).rejects.toThrow(/lagMs/);
    const environment = { KILLPOINT_DATABASE_URL: 'mysql://u:secret@h/d' };
    await expect(createRail({ options: {}, environment })).rejects.toThrow(
      /^(?!.*secret).*KILLPOINT_DATABASE_URL must be/s,
    );
  });

  test('uses another server with a role that may make databases and roles, and leaves nothing there', async () => {
    const home = await openNamespace();
    await home.administer("CREATE ROLE guest LOGIN CREATEDB CREATEROLE PASSWORD 'guest'");
    await home.administer('CREATE DATABASE guest OWNER guest');
    const count = async () => {
      const client = await connect({
        endpoint: home.endpoint,
        credentials: { user: 'guest', password: 'guest', database: 'guest' },
      });
      const { rows } = await client.query(
        "SELECT count(*) FROM pg_database WHERE datdba = 'guest'::regrole",
      );
      return rows[0];
    };
    const before = await count();
    const { host, port } = home.endpoint;
    const rail = await createRail({
      options: {},
      environment: { KILLPOINT_DATABASE_URL: `postgres://guest:guest@${host}:${port}/guest` },
    });
    const namespace = await rail.openNamespace('elsewhere');
    const { request } = namespace.examples(1);
    const held = namespace.hold();
    await held.armed;
    const target = openFencedTarget(namespace);
    const answer = target.apply({ key: 'k', request, attempt: 1 });
    await held.reached;
    expect(await namespace.idle()).toBe(false);
    held.release();
    entityOf(await answer);
    await namespace.world('undone-by-hand', request);
    await namespace.world('rail-restarted', request);
    expect(await countEffects(namespace)).toBe(1);
    await rail.close();
    expect(await count()).toEqual(before);
  });
});

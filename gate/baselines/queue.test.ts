import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbeddedServer } from '../../adapters/postgres/embedded.ts';
import { declarations } from '../reference/testing/service.ts';
import { openQueue } from './queue-gate.ts';
import { dieAt, proposalOf, Stage } from './testing/stage.ts';

const request = { order: 'order-1', amountMinor: 20 };

describe('an outbox in Postgres', () => {
  let server: EmbeddedServer;
  let url: string;
  beforeAll(async () => {
    server = await startEmbeddedServer();
    const { host, port, user, password, database } = server.address;
    url = `postgres://${user}:${password}@${host}:${port}/${database}`;
  }, 60_000);
  afterAll(async () => {
    await server?.close();
  });
  beforeEach(async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('DROP TABLE IF EXISTS outbox');
    await client.end();
  });

  it('delivers once what is not disturbed, and says so to whoever asks again', async () => {
    using stage = new Stage(declarations.dedupes);
    const gate = await openQueue(stage.context(), url);
    expect(await gate.submit(proposalOf(request))).toMatchObject({
      outcome: 'happened',
      entityId: 'effect-1',
      attempts: 1,
    });
    expect(await gate.submit(proposalOf(request))).toMatchObject({ outcome: 'happened' });
    expect(await gate.ask({ order: 'order-2' })).toMatchObject({ outcome: 'absent', state: null });
    expect(stage.service.count('apply')).toBe(1);
    await gate.close();
  });

  it('delivers again, under the same key, what its worker died with', async () => {
    using stage = new Stage(declarations.dedupes);
    const dying = await openQueue(stage.context('after_call_before_commit'), url);
    await dieAt(dying, proposalOf(request));
    const gate = await openQueue(stage.context(), url);
    expect(await gate.ask(request)).toMatchObject({ outcome: 'unknown', disposition: 'working' });
    await gate.recover();
    expect(await gate.ask(request)).toMatchObject({ outcome: 'happened', attempts: 2 });
    const keys = stage.service.calls.map(({ key }) => key);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(stage.service.effects).toHaveLength(1);
    await gate.close();
  });

  it('makes a second effect of it where keys mean nothing, and asks nobody before', async () => {
    using stage = new Stage(declarations.bound);
    const dying = await openQueue(stage.context('after_call_before_commit'), url);
    await dieAt(dying, proposalOf(request));
    const gate = await openQueue(stage.context(), url);
    await gate.recover();
    expect(stage.service.effects).toHaveLength(2);
    expect(stage.service.count('query')).toBe(0);
    await gate.close();
  });

  it('asks for the lease when the job is written, and not when it is delivered again', async () => {
    using stage = new Stage(declarations.dedupes);
    await dieAt(await openQueue(stage.context('before_wal'), url), proposalOf(request));
    stage.lease = { kind: 'dead', reason: 'revoked' };
    const gate = await openQueue(stage.context(), url);
    const other = { order: 'order-2', amountMinor: 20 };
    expect(await gate.submit(proposalOf(other))).toMatchObject({ outcome: 'refused', state: null });
    await gate.recover();
    expect(await gate.ask(request)).toMatchObject({ outcome: 'happened' });
    expect(stage.service.effects).toHaveLength(1);
    await gate.close();
  });

  it('has a job of its own for an approval, and for any reason', async () => {
    using stage = new Stage(declarations.dedupes);
    const gate = await openQueue(stage.context(), url);
    for (const more of [{}, { distinct: 'approval-7' }, { distinct: { reason: 'wrote again' } }]) {
      const outcome = await gate.submit(proposalOf({ ...request, ...more }));
      expect(outcome).toMatchObject({ outcome: 'happened', attempts: 1 });
    }
    expect(stage.service.effects).toHaveLength(3);
    await gate.close();
  });

  it('parks for a person what it could not deliver', async () => {
    using stage = new Stage(declarations.dedupes);
    stage.service.applies.push(...Array.from({ length: 5 }, () => 'request-lost' as const));
    const gate = await openQueue(stage.context(), url);
    expect(await gate.submit(proposalOf(request))).toMatchObject({
      outcome: 'unknown',
      disposition: 'surfaced',
      attempts: 5,
    });
    await gate.close();
  });

  it('gives a row to one of two workers', async () => {
    using stage = new Stage(declarations.neither);
    const gates = await Promise.all([1, 2, 3].map(() => openQueue(stage.context(), url)));
    await Promise.all(gates.map((gate) => gate.submit(proposalOf(request))));
    expect(stage.service.effects).toHaveLength(1);
    await Promise.all(gates.map((gate) => gate.close()));
  });

  it('says what is missing where no database is named', async () => {
    using stage = new Stage(declarations.dedupes);
    await expect(openQueue(stage.context(), undefined)).rejects.toThrow(/DATABASE_URL/);
  });
});

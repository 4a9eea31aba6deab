import { describe, expect, test } from 'vitest';
import {
  connect,
  countEffects,
  entityOf,
  openNamespace,
  openTarget,
  untilEffects,
  untilIdle,
} from './testing/database.ts';
import { openRelay } from './testing/relay.ts';

describe('without a unique key', () => {
  test('looking and then doing it again makes two: the look does not see what is not over', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const held = namespace.hold();
    await held.armed;
    const orphan = openTarget(namespace, 'lookup').apply({ key: 'ours', request, attempt: 1 });
    await held.reached;
    const target = openTarget(namespace, 'lookup');
    expect(await target.query({ key: 'ours', request })).toEqual({
      kind: 'absent',
      complete: true,
    });
    entityOf(await target.apply({ key: 'ours', request, attempt: 2 }));
    held.release();
    entityOf(await orphan);
    expect(await countEffects(namespace)).toBe(2);
    expect(await target.query({ key: 'ours', request })).toMatchObject({ kind: 'many' });
  });

  test('a lookup finds what took effect, also after it was undone', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    const target = openTarget(namespace, 'lookup');
    const entityId = entityOf(await target.apply({ key: 'ours', request, attempt: 1 }));
    await namespace.world('undone-by-hand', request);
    expect(await target.query({ key: 'ours', request })).toEqual({ kind: 'found', entityId });
    expect(target.declaration.lookup).toMatchObject({ seesDeletions: true });
  });

  test('a lookup goes by the stamp: an equal credit of somebody else is none of ours', async () => {
    const namespace = await openNamespace();
    const { request } = namespace.examples(1);
    await namespace.world('done-by-hand', request);
    const target = openTarget(namespace, 'lookup');
    expect(await target.query({ key: 'ours', request })).toEqual({
      kind: 'absent',
      complete: true,
    });
  });
});

describe('the bound', () => {
  test('is made by the server: a transaction that is older is ended, and its COMMIT comes too late', async () => {
    const namespace = await openNamespace();
    let release: () => void = () => undefined;
    const { endpoint } = await openRelay(namespace.endpoint, (sql, { server }, bytes) => {
      if (sql !== 'COMMIT') return true;
      release = () => server.write(bytes);
      return false;
    });
    const { request } = namespace.examples(1);
    const target = openTarget({ ...namespace, endpoint }, 'lookup', { landingBoundMs: 80 });
    const answer = target.apply({ key: 'ours', request, attempt: 1 });
    // Nothing but the server's own clock ends the transaction that waits for its COMMIT.
    expect(await answer).toMatchObject({ kind: 'unknown' });
    await untilIdle(namespace);
    release();
    expect(await namespace.effects()).toEqual([]);
  });

  test('holds for a COMMIT that is being worked on as well', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    const { request } = namespace.examples(1);
    const target = openTarget(namespace, 'lookup', { landingBoundMs: 150 });
    const answer = target.apply({ key: 'ours', request, attempt: 1 });
    await held.reached;
    expect(await answer).toMatchObject({ kind: 'unknown' });
    held.release();
    await untilIdle(namespace);
    expect(await namespace.effects()).toEqual([]);
  });

  test('that somebody else promises is not made by the server', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await held.armed;
    const { request } = namespace.examples(1);
    const target = openTarget(namespace, 'lookup', {
      landingBoundMs: 1,
      clientTimeoutMs: 150,
      enforceBound: false,
    });
    expect(await target.apply({ key: 'ours', request, attempt: 1 })).toMatchObject({
      kind: 'unknown',
      cause: 'timeout',
    });
    held.release();
    await untilEffects(namespace, 1);
  });
});

test('statement_timeout does not reach into COMMIT, transaction_timeout does', async () => {
  const namespace = await openNamespace();
  await namespace.administer(
    `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.4); RETURN NULL; END $$;
     CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON credits DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION slow()`,
  );
  const insert = `INSERT INTO credits (account,reference,amount_minor,currency) VALUES ('acc_0001','r',1,'eur')`;
  const patient = await connect(namespace);
  await patient.query(`BEGIN; SET LOCAL statement_timeout = 100; ${insert}`);
  expect((await patient.query('COMMIT')).command).toBe('COMMIT');
  const bounded = await connect(namespace);
  await bounded.query(`BEGIN; SET LOCAL transaction_timeout = 100; ${insert}`);
  await expect(bounded.query('COMMIT')).rejects.toMatchObject({ code: '25P04' });
  expect(await countEffects(namespace)).toBe(1);
});

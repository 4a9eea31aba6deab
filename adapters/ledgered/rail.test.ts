import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { RailFault } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import { createRail } from './rail.ts';
import { openFenceTarget, openNamespace } from './testing/loopback.ts';

const lagMs = 60;

async function openLedger(options: JsonObject = { lagMs }) {
  const namespace = await openNamespace(options);
  const { request } = namespace.examples(1);
  const { endpoint, credentials, personCredentials } = namespace;
  const subject = openFenceTarget({ endpoint, credentials });
  const person = openFenceTarget({ endpoint, credentials: personCredentials });
  let fired = 0;
  const arm = (fault: RailFault) =>
    namespace.arm(fault, () => {
      fired += 1;
    });
  return { namespace, request, subject, person, arm, firedTimes: () => fired };
}

describe('what a ledger can do wrong', () => {
  test('is to refuse, to fail a lookup, and with a lag to show a stale one', async () => {
    expect((await openLedger()).namespace.can).toEqual(['refused', 'lookup-error', 'stale-read']);
    const { namespace, arm } = await openLedger({});
    expect(namespace.can).toEqual(['refused', 'lookup-error']);
    expect(() => arm({ kind: 'stale-read' })).toThrow(/lagMs/);
    expect(() => arm({ kind: 'stored-error', landed: true })).toThrow(/stored-error/);
  });

  test('is to be at work on a posting before it takes effect', async () => {
    const { namespace, request, subject } = await openLedger({ workMs: 150 });
    const posted = subject.apply({ key: 'k', request, attempt: 1 });
    await vi.waitUntil(() => !namespace.idle());
    expect(await namespace.effects()).toEqual([]);
    expect((await posted).kind).toBe('landed');
    expect(await namespace.effects()).toHaveLength(1);
    await expect(openLedger({ workMs: 0.5 })).rejects.toThrow(/workMs must be a whole number/);
  });

  test.each([401, 429] as const)('%i refuses one posting of the subject', async (status) => {
    const { namespace, request, subject, person, arm, firedTimes } = await openLedger();
    arm({ kind: 'refused', status });
    await person.apply({ key: 'p', request, attempt: 1 });
    await subject.query({ key: 'k', request });
    expect(firedTimes()).toBe(0);
    expect(await subject.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'refused',
      mendable: true,
    });
    expect(firedTimes()).toBe(1);
    expect(await subject.apply({ key: 'k', request, attempt: 1 })).toMatchObject({
      kind: 'landed',
    });
    expect(await namespace.effects()).toHaveLength(2);
  });

  test.each([401, 429, 500, 'empty-claims-more'] as const)(
    'a lookup that fails with %s is one lookup or one fence of the subject, and plants nothing',
    async (how) => {
      const { request, subject, person, arm, firedTimes } = await openLedger();
      const call = { key: 'k', request };
      arm({ kind: 'lookup-error', how });
      expect(await person.query(call)).toMatchObject({ kind: 'absent' });
      expect(await subject.query(call)).toMatchObject({ kind: 'could-not-tell' });
      expect(await subject.query(call)).toMatchObject({ kind: 'absent' });
      arm({ kind: 'lookup-error', how });
      expect(await subject.fence(call)).toMatchObject({ kind: 'could-not-tell' });
      expect(firedTimes()).toBe(2);
      expect(await subject.apply({ ...call, attempt: 1 })).toMatchObject({ kind: 'landed' });
    },
  );

  test('a stale lookup misses a young entry, and a fence never does', async () => {
    const { request, subject, person, arm, firedTimes } = await openLedger();
    const call = { key: 'k', request };
    arm({ kind: 'stale-read' });
    await subject.apply({ ...call, attempt: 1 });
    expect(await subject.query(call)).toMatchObject({ kind: 'absent' });
    expect(await person.query(call)).toMatchObject({ kind: 'found' });
    expect(await subject.fence(call)).toMatchObject({ kind: 'found' });
    expect(firedTimes()).toBe(1);
    await sleep(lagMs + 5);
    expect(await subject.query(call)).toMatchObject({ kind: 'found' });
  });
});

describe('ledgers', () => {
  test('know nothing of each other', async () => {
    const rail = await createRail({ options: {} });
    const one = await rail.openNamespace('one');
    const two = await rail.openNamespace('two');
    const { request } = one.examples(1);
    await openFenceTarget(one).apply({ key: 'k', request, attempt: 1 });
    expect(await two.effects()).toEqual([]);
    expect(await openFenceTarget(two).query({ key: 'k', request })).toMatchObject({
      kind: 'absent',
    });
    await expect(rail.openNamespace('one')).rejects.toThrow(/came one again/);
    await rail.close();
  });

  test('know whose credential made an entry', async () => {
    const { namespace, request, subject, person } = await openLedger();
    await subject.apply({ key: 'a', request, attempt: 1 });
    await person.apply({ key: 'b', request, attempt: 1 });
    const effects = await namespace.effects();
    expect(effects.map(({ actor, stamp }) => [actor, stamp])).toEqual([
      ['subject', 'a'],
      ['person', 'b'],
    ]);
  });

  test('that are closed refuse their old tokens and what they held', async () => {
    const { namespace, request, subject } = await openLedger();
    const held = namespace.hold();
    const call = subject.apply({ key: 'k', request, attempt: 1 });
    await held.reached;
    expect(namespace.idle()).toBe(false);
    await namespace.close();
    expect(await call).toMatchObject({ kind: 'refused' });
    expect(await namespace.effects()).toEqual([]);
    expect(await subject.query({ key: 'k', request })).toMatchObject({ kind: 'could-not-tell' });
  });

  test('date entries by a clock that can be moved', async () => {
    const { namespace, request, subject } = await openLedger();
    namespace.setClock(86_400_000);
    await subject.apply({ key: 'k', request, attempt: 1 });
    const [effect] = await namespace.effects();
    expect(effect?.atMs).toBeGreaterThan(Date.now() + 86_000_000);
  });

  test('give the same examples for a seed, that differ by amount or by an approval only', async () => {
    const { namespace, subject } = await openLedger();
    expect(namespace.examples(3)).toEqual(namespace.examples(3));
    expect(namespace.examples(4).request).not.toEqual(namespace.examples(3).request);
    const { request, changed, distinct, lookAlike } = namespace.examples(3);
    expect(changed).toEqual({ ...request, amountMinor: Number(request.amountMinor) + 1000 });
    expect(distinct).toEqual({ ...request, distinct: expect.stringMatching(/^approval-/) });
    expect(lookAlike).toEqual(request);
    for (const each of [request, changed, distinct]) subject.identify(each);
  });

  test('unknown rail options are an error', async () => {
    await expect(createRail({ options: { lag: 1 } })).rejects.toThrow(/also came lag/);
    await expect(createRail({ options: { lagMs: -1 } })).rejects.toThrow(/lagMs/);
  });
});

test.each<[string, string, string, JsonObject | string, number]>([
  ['no JSON', 'POST', '/entries', 'x', 400],
  ['a list', 'POST', '/entries', '[]', 400],
  ['an unknown field', 'POST', '/entries', { id: 'k', memo: 'x' }, 400],
  [
    'no amount',
    'POST',
    '/entries',
    { id: 'k', account: 'a', reference: 'r', currency: 'eur' },
    400,
  ],
  [
    'a fence nobody planted',
    'POST',
    '/entries',
    {
      id: 'k',
      account: 'a',
      reference: 'r',
      currency: 'eur',
      amountMinor: 1,
      supersedes: 1,
    },
    412,
  ],
  ['another path', 'GET', '/accounts', '', 404],
  ['a path beyond one that is', 'GET', '/accounts/a/references/r/x', '', 404],
  ['a path with an empty part', 'GET', '/entries//fence', '', 404],
  ['a limit that the subject sets', 'PUT', '/accounts/a', { limitMinor: 1 }, 403],
  ['a reversal that the subject asks for', 'POST', '/reversals', { entry: 'ent_1' }, 403],
  ['another method', 'DELETE', '/entries/k', '', 404],
  ['a path that can’t be decoded', 'GET', '/entries/%zz', '', 404],
])(
  '%s is answered %s %s with an error and posts nothing',
  async (_, method, path, body, status) => {
    const { namespace } = await openLedger();
    const { host, port } = namespace.endpoint;
    const answer = await fetch(`http://${host}:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${namespace.credentials.token}` },
      ...(body !== '' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code: expect.any(String) } });
    expect(await namespace.effects()).toEqual([]);
  },
);

import { describe, expect, test } from 'vitest';
import type { RailFault } from '../../rail.ts';
import { createRail } from './rail.ts';
import { openNamespace, openTarget } from './testing/loopback.ts';

async function open() {
  const namespace = await openNamespace();
  const { request } = namespace.examples(1);
  const target = openTarget(namespace);
  const apply = (key = 'k') => target.apply({ key, request, attempt: 1 });
  const arm = (fault: RailFault) => namespace.arm(fault, () => undefined);
  return { namespace, request, apply, arm };
}

describe('faults', () => {
  test('are refusals, a conflict in flight and a failure that is stored; others are an error', async () => {
    const { namespace, arm } = await open();
    expect(namespace.can).toEqual(['refused', 'turned-down', 'in-flight-conflict', 'stored-error']);
    expect(() => arm({ kind: 'stale-read' })).toThrow(/came stale-read/);
  });

  test('an earlier request is said to be running as often as was asked', async () => {
    const { namespace, apply, arm } = await open();
    arm({ kind: 'in-flight-conflict', times: 2 });
    const inFlight = { kind: 'unknown', cause: 'in-flight' };
    expect(await apply()).toMatchObject(inFlight);
    expect(await apply()).toMatchObject(inFlight);
    expect(await apply()).toMatchObject({ kind: 'landed' });
    expect(await namespace.effects()).toHaveLength(1);
  });

  test.each([true, false])('a failure is stored under the key, landed: %s', async (landed) => {
    const { namespace, apply, arm } = await open();
    arm({ kind: 'stored-error', landed });
    expect(await apply()).toMatchObject({ kind: 'unknown', cause: 'server-error' });
    expect(await apply()).toMatchObject({ kind: 'unknown', cause: 'server-error' });
    expect(await namespace.effects()).toHaveLength(landed ? 1 : 0);
  });
});

describe('the world', () => {
  test('a mail by hand is the same mail, without a stamp of ours', async () => {
    const { namespace, request, apply } = await open();
    await apply();
    await namespace.world('done-by-hand', request);
    const [ours, theirs] = await namespace.effects();
    expect(ours).toMatchObject({ actor: 'subject', stamp: 'k' });
    expect(theirs).toMatchObject({
      actor: 'person',
      stamp: null,
      subject: ours?.subject,
      substance: ours?.substance,
    });
  });

  test('an unrelated change is mail to another, and about something else', async () => {
    const { namespace, request } = await open();
    await namespace.world('unrelated-change', request);
    const effects = await namespace.effects();
    expect(effects.map(({ actor }) => actor)).toEqual(['person', 'person']);
    expect(effects.map(({ substance }) => substance)).toEqual([
      expect.objectContaining({ recipient: `other-${request.recipient}` }),
      expect.objectContaining({ reference: `other-${request.reference}` }),
    ]);
  });

  test('a restart ends what is held, and forgets its key and nothing else', async () => {
    const { namespace, request, apply } = await open();
    await apply('done');
    const held = namespace.hold();
    const cut = apply();
    await held.reached;
    expect(namespace.idle()).toBe(false);
    await namespace.world('rail-restarted', request);
    expect(await cut).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(namespace.idle()).toBe(true);
    expect((await namespace.effects()).map(({ stamp }) => stamp)).toEqual(['done']);
    await apply();
    await apply('done');
    expect((await namespace.effects()).map(({ stamp }) => stamp)).toEqual(['done', 'k']);
  });

  test.each(['undone-by-hand', 'premise-changed'] as const)('%s is an error', async (event) => {
    const { namespace, request } = await open();
    await expect(namespace.world(event, request)).rejects.toThrow(new RegExp(`came ${event}`));
  });
});

describe('teams', () => {
  test('know nothing of each other', async () => {
    const rail = await createRail({ options: {} });
    const [one, two] = [await rail.openNamespace('one'), await rail.openNamespace('two')];
    const { request } = one.examples(1);
    const call = { key: 'k', request, attempt: 1 };
    await openTarget(one).apply(call);
    expect(await two.effects()).toEqual([]);
    await openTarget(two).apply(call);
    expect(await two.effects()).toHaveLength(1);
    await expect(rail.openNamespace('one')).rejects.toThrow(/came one again/);
    await rail.close();
  });

  test('that are closed refuse their old keys and what they held', async () => {
    const { namespace, apply } = await open();
    const held = namespace.hold();
    const cut = apply();
    await held.reached;
    await namespace.close();
    expect(await cut).toMatchObject({ kind: 'refused' });
    expect(await namespace.effects()).toEqual([]);
    expect(await apply()).toMatchObject({ kind: 'refused', mendable: true });
  });

  test('date mails by a clock that can be moved', async () => {
    const { namespace, apply } = await open();
    namespace.setClock(86_400_000);
    await apply();
    const [effect] = await namespace.effects();
    expect(effect?.atMs).toBeGreaterThan(Date.now() + 86_000_000);
  });

  test('take no options', async () => {
    await expect(createRail({ options: { lagMs: 1 } })).rejects.toThrow(/came lagMs/);
  });
});

/** What is done at the mail server besides sending: by people, by a restart, and by a trial. */
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRail } from './rail.ts';
import { openNamespace, openTarget, request } from './testing/open-rail.ts';

const call = { key: 'ours', request, attempt: 1 };

describe('what people do', () => {
  test('by hand is the same mail, with a Message-ID that is none of ours', async () => {
    const namespace = await openNamespace();
    await openTarget(namespace).apply(call);
    await namespace.world('done-by-hand', request);
    const [made, byHand, ...others] = await namespace.effects();
    expect(others).toEqual([]);
    expect(byHand).toMatchObject({
      actor: 'person',
      stamp: null,
      subject: made?.subject,
      substance: made?.substance,
    });
  });

  test('is elsewhere when it is unrelated', async () => {
    const namespace = await openNamespace();
    await openTarget(namespace).apply(call);
    await namespace.world('unrelated-change', request);
    const [made, other] = await namespace.effects();
    expect(other).toMatchObject({ actor: 'person', stamp: null });
    expect(other?.subject).not.toBe(made?.subject);
  });
});

describe('a restart', () => {
  test('breaks what is under way, which never takes effect', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace);
    const held = namespace.hold();
    const sent = target.apply(call);
    await held.reached;
    await namespace.world('rail-restarted', request);
    expect(await sent).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(namespace.idle()).toBe(true);
    held.release();
    expect(await namespace.effects()).toEqual([]);
    expect(await target.apply(call)).toMatchObject({ kind: 'landed' });
    expect(await namespace.effects()).toHaveLength(1);
  });

  test('keeps what was taken over, and holds that nothing has met', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace);
    await target.apply(call);
    const held = namespace.hold();
    await namespace.world('rail-restarted', request);
    expect(await namespace.effects()).toHaveLength(1);
    const sent = target.apply({ ...call, key: 'another' });
    await held.reached;
    held.release();
    expect(await sent).toMatchObject({ kind: 'landed' });
  });

  test('disturbs nobody else on the rail', async () => {
    const rail = await createRail({ options: {} });
    onTestFinished(() => rail.close());
    const [one, two] = [await rail.openNamespace('one'), await rail.openNamespace('two')];
    const held = two.hold();
    const sent = openTarget(two).apply(call);
    await held.reached;
    await one.world('rail-restarted', request);
    expect(two.idle()).toBe(false);
    held.release();
    expect(await sent).toMatchObject({ kind: 'landed' });
  });
});

describe('a held mail', () => {
  test('is taken over when it is let go, although its sender is gone, and is at work until then', async () => {
    const namespace = await openNamespace();
    const target = openTarget(namespace);
    const held = namespace.hold();
    const sent = target.apply(call);
    await held.reached;
    await target.close?.();
    expect(await sent).toMatchObject({ kind: 'unknown', cause: 'connection' });
    expect(namespace.idle()).toBe(false);
    expect(await namespace.effects()).toEqual([]);
    held.release();
    await expect.poll(() => namespace.idle()).toBe(true);
    expect(await namespace.effects()).toMatchObject([{ stamp: 'ours' }]);
  });

  test('is the subject’s, and never what people send', async () => {
    const namespace = await openNamespace();
    const held = namespace.hold();
    await namespace.world('done-by-hand', request);
    expect(namespace.idle()).toBe(true);
    const sent = openTarget(namespace).apply(call);
    await held.reached;
    held.release();
    expect(await sent).toMatchObject({ kind: 'landed' });
  });
});

describe('a mail server for trials', () => {
  test('keeps its namespaces apart, and forgets a closed one’s logins', async () => {
    const rail = await createRail({ options: {} });
    onTestFinished(() => rail.close());
    const [one, two] = [await rail.openNamespace('one'), await rail.openNamespace('two')];
    await openTarget(one).apply(call);
    expect(await one.effects()).toHaveLength(1);
    expect(await two.effects()).toEqual([]);
    await expect(rail.openNamespace('one')).rejects.toThrow(/no open namespace has/);
    await one.close();
    expect(await openTarget(one).apply(call)).toMatchObject({ kind: 'refused', mendable: true });
    expect(await openTarget(two).apply(call)).toMatchObject({ kind: 'landed' });
  });

  test('greets first, and sends away who talks sooner', async () => {
    const { endpoint } = await openNamespace();
    const socket = connect(endpoint.port, endpoint.host);
    socket.write('EHLO me\r\n');
    const heard: Buffer[] = [];
    for await (const chunk of socket) heard.push(chunk);
    expect(Buffer.concat(heard).toString()).toMatch(/^421 .*talk too soon/i);
  });

  test('does what it can, and names it where it can’t', async () => {
    const namespace = await openNamespace();
    expect(namespace.can).toEqual(['turned-down']);
    expect(() => namespace.arm({ kind: 'stale-read' }, () => undefined)).toThrow(
      /expected the fault turned-down; came stale-read/,
    );
    await expect(namespace.world('undone-by-hand', request)).rejects.toThrow(/can't be taken back/);
    await expect(createRail({ options: { lagMs: 1 } })).rejects.toThrow(/no options; came lagMs/);
  });
});

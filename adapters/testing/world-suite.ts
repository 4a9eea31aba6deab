/**
 * What every stand-in that can change the world under a subject must pass, and every target whose
 * premises must notice. In: how to open a rail and its target. Out: tests.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { describePremises } from './world-premises-suite.ts';
import {
  type Adapter,
  type Open,
  openScene,
  openSceneIn,
  type Promises,
  promisesOf,
} from './world-scene.ts';

export function describeWorld(adapter: Adapter): void {
  const open = () => openScene(adapter);
  const promises = promisesOf(adapter);
  test('what is declared is what is tested', async () => {
    const { target, namespace } = await open();
    const { premises, onceByState, guardsPremises, lookup } = target.declaration;
    expect({ premises, onceByState, guardsPremises }).toEqual({
      premises: promises.kinds,
      onceByState: promises.onceByState,
      guardsPremises: promises.guardsPremises,
    });
    if (lookup !== null) expect(lookup.seesDeletions).toBe(promises.seesDeletions);
    expect(new Set(namespace.worldEvents)).toEqual(new Set(promises.events));
  });
  describePremises(open, promises);
  describeEvents(open, promises);
  describeRestart(open, adapter);
  describeHeld(open);
}

function describeEvents(open: Open, { events, onceByState, seesDeletions }: Promises): void {
  const canUndo = events.includes('undone-by-hand');
  describe('what people do', () => {
    test.skipIf(onceByState)(
      'by hand is the same effect, and carries another stamp than ours or none',
      async () => {
        const { namespace, apply, world } = await open();
        await apply();
        await world('done-by-hand');
        const [made, byHand, ...others] = await namespace.effects();
        expect(others).toEqual([]);
        expect(made?.actor).toBe('subject');
        expect(byHand).toMatchObject({
          actor: 'person',
          subject: made?.subject,
          substance: made?.substance,
        });
        expect(byHand?.stamp).not.toBe('ours');
      },
    );

    test.runIf(onceByState)(
      'by hand is the one effect there can be, and ours is refused for good and is absent',
      async () => {
        const { namespace, target, request, apply, world } = await open();
        await world('done-by-hand');
        const [byHand, ...others] = await namespace.effects();
        expect(others).toEqual([]);
        expect(byHand).toMatchObject({ actor: 'person' });
        expect(byHand?.stamp).not.toBe('ours');
        expect(await apply()).toMatchObject({ kind: 'refused', mendable: false });
        expect(await target.query?.({ key: 'ours', request })).toMatchObject({ kind: 'absent' });
        expect(await namespace.effects()).toEqual([byHand]);
      },
    );

    test.runIf(canUndo)(
      `undoes our effect, which stays in the journal and is ${seesDeletions ? '' : 'not '}found by its stamp`,
      async () => {
        const { namespace, target, request, apply, world } = await open();
        await apply();
        const before = await namespace.effects();
        await world('undone-by-hand');
        expect(await namespace.effects()).toEqual(before);
        const found = { kind: 'found', entityId: String(before[0]?.entityId) };
        expect(await target.query?.({ key: 'ours', request })).toEqual(
          seesDeletions ? found : { kind: 'absent', complete: true },
        );
      },
    );

    test.runIf(canUndo)('undoes nothing where nothing of ours stands', async () => {
      const { apply, world } = await open();
      await world('done-by-hand');
      await expect(world('undone-by-hand')).rejects.toThrow(/there is none/);
      await apply();
      await world('undone-by-hand');
      await expect(world('undone-by-hand')).rejects.toThrow(/there is none/);
    });

    test('is never the subject’s, and elsewhere when it is unrelated', async () => {
      const { namespace, apply, world } = await open();
      await apply();
      const [ours] = await namespace.effects();
      for (const event of ['premise-changed', 'premise-changed-and-back'] as const) {
        await world(event);
      }
      const known = (await namespace.effects()).length;
      await world('unrelated-change');
      await world('unrelated-change');
      const [, ...others] = await namespace.effects();
      expect(others.some(({ actor }) => actor === 'subject')).toBe(false);
      const unrelated = others.slice(known - 1);
      if (!onceByState) expect(unrelated).not.toEqual([]);
      expect(unrelated.some(({ subject }) => subject === ours?.subject)).toBe(false);
    });

    test.skipIf(onceByState)('leaves room for every example, again and again', async () => {
      const { namespace, request, target, world } = await open();
      const { changed, distinct, lookAlike } = namespace.examples(1);
      for (let round = 0; round < 20; round += 1) {
        for (const [index, wanted] of [request, changed, distinct, lookAlike].entries()) {
          const call = { key: `${round}/${index}`, request: wanted, attempt: 1 };
          expect(await target.apply(call)).toMatchObject({ kind: 'landed' });
        }
        for (const event of events) await world(event);
      }
    });

    test.runIf(onceByState)('leaves room for an effect of each subject', async () => {
      const { namespace, request, apply, world } = await open();
      const { distinct, lookAlike } = namespace.examples(1);
      for (const [index, wanted] of [lookAlike, distinct, request].entries()) {
        await world('unrelated-change');
        expect(await apply(`key ${index}`, wanted)).toMatchObject({ kind: 'landed' });
      }
      expect(new Set((await namespace.effects()).map(({ subject }) => subject)).size).toBe(3);
    });
  });
}

function describeRestart(open: Open, adapter: Adapter): void {
  describe('a restart', () => {
    test('breaks what is under way, which never takes effect', async () => {
      const { namespace, apply, world, hold } = await open();
      const held = hold();
      const call = apply();
      await held.reached;
      await world('rail-restarted');
      expect(await call).toMatchObject({ kind: 'unknown', cause: 'connection' });
      expect(await namespace.idle?.()).toBe(true);
      held.release();
      expect(await namespace.effects()).toEqual([]);
      expect(await apply()).toMatchObject({ kind: 'landed' });
      expect(await namespace.effects()).toHaveLength(1);
    });

    test('keeps what took effect, and holds that nothing has met', async () => {
      const { namespace, distinct, apply, world, hold } = await open();
      await apply();
      const before = await namespace.effects();
      const held = hold();
      await world('rail-restarted');
      expect(await namespace.effects()).toEqual(before);
      const call = apply('another', distinct);
      await held.reached;
      held.release();
      expect(await call).toMatchObject({ kind: 'landed' });
    });

    test('disturbs nobody else on the rail', async () => {
      const rail = await adapter.openRail();
      onTestFinished(() => rail.close());
      const one = openSceneIn(adapter, await rail.openNamespace('one'));
      const two = openSceneIn(adapter, await rail.openNamespace('two'));
      const held = two.hold();
      const call = two.apply();
      await held.reached;
      await one.world('rail-restarted');
      expect(await two.namespace.idle?.()).toBe(false);
      held.release();
      expect(await call).toMatchObject({ kind: 'landed' });
    });
  });
}

function describeHeld(open: Open): void {
  describe('a held request', () => {
    test('takes effect when it is let go, although its sender is gone, and is at work until then', async () => {
      const { namespace, target, request, apply, hold } = await open();
      const held = hold();
      const call = apply();
      await held.reached;
      await target.close?.();
      expect(await call).toMatchObject({ kind: 'unknown', cause: 'connection' });
      expect(await namespace.idle?.()).toBe(false);
      expect(await namespace.effects()).toEqual([]);
      held.release();
      await expect.poll(() => namespace.idle?.()).toBe(true);
      const [effect, ...others] = await namespace.effects();
      expect(others).toEqual([]);
      expect(await target.query?.({ key: 'ours', request })).toEqual({
        kind: 'found',
        entityId: effect?.entityId,
      });
    });

    test('is the next of the subject’s effects, and never what people do or what is only read', async () => {
      const { namespace, target, request, distinct, apply, hold, world } = await open();
      const held = hold();
      await world('done-by-hand', distinct);
      await target.capture(request);
      await target.query?.({ key: 'ours', request });
      expect(await namespace.idle?.()).toBe(true);
      const call = apply();
      await held.reached;
      held.release();
      expect(await call).toMatchObject({ kind: 'landed' });
    });
  });
}

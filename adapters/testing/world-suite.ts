/**
 * What every stand-in that can change the world under a subject must pass, and every target whose
 * premises must notice. In: how to open a rail and its target. Out: tests.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type HeldRequest,
  type Rail,
  type RailNamespace,
  type RailWorldEvent,
  railWorldEvents,
} from '../rail.ts';
import type { EffectTarget, JsonObject, Premise } from '../target.ts';

export interface Adapter {
  openRail(): Promise<Rail>;
  /** Has both kinds of premises. */
  openTarget(namespace: RailNamespace): EffectTarget;
}

interface Scene {
  readonly namespace: RailNamespace;
  readonly target: EffectTarget;
  readonly request: JsonObject;
  world(event: RailWorldEvent): Promise<void>;
  hold(): HeldRequest;
  apply(key?: string): ReturnType<EffectTarget['apply']>;
}

export function describeWorld(adapter: Adapter): void {
  const open = async () => {
    const rail = await adapter.openRail();
    onTestFinished(() => rail.close());
    return openScene(adapter, await rail.openNamespace('one'));
  };
  describePremises(open);
  describeEvents(open);
  describeRestart(open, adapter);
  describeHeld(open);
}

function openScene(adapter: Adapter, namespace: RailNamespace): Scene {
  const { request } = namespace.examples(1);
  const target = adapter.openTarget(namespace);
  const { world, hold } = namespace;
  if (world === undefined || hold === undefined) {
    throw new Error('expected a rail that changes the world and holds requests');
  }
  return {
    namespace,
    target,
    request,
    world: (event) => world(event, request),
    hold,
    apply: (key = 'ours') => target.apply({ key, request, attempt: 1 }),
  };
}

type Open = () => Promise<Scene>;
type Kind = Premise['kind'];

const kinds = ['value-equals', 'version-unchanged'] as const satisfies readonly Kind[];

/** Whether a decision's premises of either kind hold after an event. */
const afterEvent: Record<RailWorldEvent, Record<Kind, 'hold' | 'stale'>> = {
  'done-by-hand': { 'value-equals': 'stale', 'version-unchanged': 'stale' },
  'undone-by-hand': { 'value-equals': 'hold', 'version-unchanged': 'hold' },
  'premise-changed': { 'value-equals': 'stale', 'version-unchanged': 'stale' },
  'premise-changed-and-back': { 'value-equals': 'hold', 'version-unchanged': 'stale' },
  'unrelated-change': { 'value-equals': 'hold', 'version-unchanged': 'hold' },
  'rail-restarted': { 'value-equals': 'hold', 'version-unchanged': 'hold' },
};

/** What of ours is there when the event comes, made after the premises were captured or before. */
const owns = {
  'nothing of ours': ({ target, request }: Scene) => target.capture(request),
  'our effect, made afterwards': async ({ target, request, apply }: Scene) => {
    const premises = await target.capture(request);
    await apply();
    return premises;
  },
  'our effect, made before': async ({ target, request, apply }: Scene) => {
    await apply();
    return target.capture(request);
  },
  'our effect, undone': async ({ target, request, apply, world }: Scene) => {
    const premises = await target.capture(request);
    await apply();
    await world('undone-by-hand');
    return premises;
  },
};
type Own = keyof typeof owns;

function canMeet(event: RailWorldEvent, own: Own): boolean {
  return event !== 'undone-by-hand' || own.includes('made');
}

function expectedAfter(event: RailWorldEvent, own: Own, kind: Kind): 'hold' | 'stale' {
  // A sum with ours in it equals one with somebody else's like effect and without ours.
  const isLike = event === 'done-by-hand' && own === 'our effect, made before';
  return isLike && kind === 'value-equals' ? 'hold' : afterEvent[event][kind];
}

const cells = railWorldEvents.flatMap((event) =>
  (Object.keys(owns) as Own[])
    .filter((own) => canMeet(event, own))
    .flatMap((own) =>
      kinds.map((kind) => ({ kind, event, own, expected: expectedAfter(event, own, kind) })),
    ),
);

function describePremises(open: Open): void {
  describe('premises', () => {
    test.each(cells)('$kind after $event, with $own: $expected', async (cell) => {
      const scene = await open();
      // What others did before is part of what is captured.
      await scene.world('premise-changed-and-back');
      await scene.world('done-by-hand');
      const premises = await owns[cell.own](scene);
      await scene.world(cell.event);
      const asked = premises.filter(({ kind }) => kind === cell.kind);
      expect(asked).not.toEqual([]);
      expect(await scene.target.validate(scene.request, asked, 'ours')).toMatchObject({
        kind: cell.expected,
      });
    });

    test('are of the declared kinds', async () => {
      const { target, request } = await open();
      const captured = (await target.capture(request)).map(({ kind }) => kind);
      expect(new Set(captured)).toEqual(new Set(target.declaration.premises));
      expect(target.declaration.premises).toEqual(kinds);
    });

    test('count the effect of another decision as somebody else’s', async () => {
      const { target, request, apply } = await open();
      const premises = await target.capture(request);
      await apply('another decision');
      for (const kind of kinds) {
        const asked = premises.filter((premise) => premise.kind === kind);
        expect(await target.validate(request, asked, 'ours')).toMatchObject({ kind: 'stale' });
      }
    });

    test('of another target could not be told', async () => {
      const { target, request } = await open();
      for (const kind of kinds) {
        const foreign = { kind, fact: 'weather', value: 1 };
        expect(await target.validate(request, [foreign], 'ours')).toMatchObject({
          kind: 'could-not-tell',
          detail: expect.stringMatching(/weather/),
        });
      }
    });

    test('with a version of a shape that was never captured could not be told', async () => {
      const { target, request } = await open();
      const captured = await target.capture(request);
      const version = captured.find(({ kind }) => kind === 'version-unchanged');
      const foreign = { kind: 'version-unchanged', fact: version?.fact ?? '', value: 'x' } as const;
      expect(await target.validate(request, [foreign], 'ours')).toMatchObject({
        kind: 'could-not-tell',
      });
    });
  });
}

function describeEvents(open: Open): void {
  describe('what people do', () => {
    test('by hand is the same effect, and carries another stamp than ours or none', async () => {
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
    });

    test('undoes our effect, which stays in the journal and is found by its stamp', async () => {
      const { namespace, target, request, apply, world } = await open();
      await apply();
      const before = await namespace.effects();
      await world('undone-by-hand');
      expect(await namespace.effects()).toEqual(before);
      const entityId = String(before[0]?.entityId);
      expect(target.declaration.lookup?.seesDeletions).toBe(true);
      expect(await target.query?.({ key: 'ours', request })).toEqual({ kind: 'found', entityId });
    });

    test('undoes nothing where nothing of ours stands', async () => {
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
      expect(unrelated).not.toEqual([]);
      expect(unrelated.some(({ subject }) => subject === ours?.subject)).toBe(false);
    });

    test('leaves room for every example, again and again', async () => {
      const { namespace, request, target, world } = await open();
      const { changed, distinct, lookAlike } = namespace.examples(1);
      for (let round = 0; round < 20; round += 1) {
        for (const [index, wanted] of [request, changed, distinct, lookAlike].entries()) {
          const call = { key: `${round}/${index}`, request: wanted, attempt: 1 };
          expect(await target.apply(call)).toMatchObject({ kind: 'landed' });
        }
        for (const event of railWorldEvents) await world(event);
      }
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
      const { namespace, apply, world, hold } = await open();
      await apply();
      const before = await namespace.effects();
      const held = hold();
      await world('rail-restarted');
      expect(await namespace.effects()).toEqual(before);
      const call = apply('another');
      await held.reached;
      held.release();
      expect(await call).toMatchObject({ kind: 'landed' });
    });

    test('disturbs nobody else on the rail', async () => {
      const rail = await adapter.openRail();
      onTestFinished(() => rail.close());
      const one = openScene(adapter, await rail.openNamespace('one'));
      const two = openScene(adapter, await rail.openNamespace('two'));
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
      const { namespace, target, request, apply, hold, world } = await open();
      const held = hold();
      await world('done-by-hand');
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

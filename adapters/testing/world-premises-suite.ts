/** Whether a decision's premises hold after what people did. In: how to open a scene. Out: tests. */
import { describe, expect, test } from 'vitest';
import type { RailWorldEvent } from '../rail.ts';
import type { Kind, Open, Promises, Scene } from './world-scene.ts';

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

interface Cell {
  readonly event: RailWorldEvent;
  readonly own: Own;
}

function canMeet({ event, own }: Cell, { events, onceByState }: Promises): boolean {
  if (own === 'our effect, undone' && !events.includes('undone-by-hand')) return false;
  if (event === 'undone-by-hand') return own.includes('made');
  return event !== 'done-by-hand' || !onceByState || own === 'nothing of ours';
}

function expectedAfter({ event, own }: Cell, kind: Kind, promises: Promises): 'hold' | 'stale' {
  if (kind === 'value-equals' && own === 'our effect, made before') {
    // A sum with ours in it equals one with somebody else's like effect and without ours.
    if (event === 'done-by-hand') return 'hold';
    // What left nothing behind can't be left out.
    if (event === 'undone-by-hand' && !promises.seesDeletions) return 'stale';
  }
  // Nobody can change any more what it was decided on.
  const isFrozen = promises.guardsPremises && own !== 'nothing of ours';
  return isFrozen && event.startsWith('premise-changed') ? 'hold' : afterEvent[event][kind];
}

function cellsOf(promises: Promises) {
  return promises.events.flatMap((event) =>
    (Object.keys(owns) as Own[])
      .filter((own) => canMeet({ event, own }, promises))
      .flatMap((own) =>
        promises.kinds.map((kind) => {
          const expected = expectedAfter({ event, own }, kind, promises);
          return { kind, event, own, expected };
        }),
      ),
  );
}

export function describePremises(open: Open, promises: Promises): void {
  const { kinds, onceByState } = promises;
  describe('premises', () => {
    test.each(cellsOf(promises))('$kind after $event, with $own: $expected', async (cell) => {
      const scene = await open();
      // What others did before is part of what is captured.
      await scene.world('premise-changed-and-back');
      if (!onceByState) await scene.world('done-by-hand');
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

    test.runIf(kinds.includes('version-unchanged'))(
      'with a version of a shape that was never captured could not be told',
      async () => {
        const { target, request } = await open();
        const captured = await target.capture(request);
        const version = captured.find(({ kind }) => kind === 'version-unchanged');
        const fact = version?.fact ?? '';
        const foreign = { kind: 'version-unchanged', fact, value: 'x' } as const;
        expect(await target.validate(request, [foreign], 'ours')).toMatchObject({
          kind: 'could-not-tell',
        });
      },
    );
  });
}

import { describe, expect, it } from 'vitest';
import { parseId } from './cell.ts';
import { declaredFindings, expectKnown } from './condemned.ts';
import { declarations } from './testing/classes.ts';

const shows = 'broken/stripe.keyed/during_call:now/none/none/same-again';
const other = 'broken/stripe.keyed/before_wal/none/none/same-again';
const impossible = 'broken/stripe.keyed/before_wal/reply-lost@first-send/none/same-again';

function cellOf(id: string) {
  const parsed = parseId(id);
  if (parsed.kind === 'not-an-id') throw new Error(parsed.why);
  return parsed.cell;
}

describe('what is broken on purpose', () => {
  const gate = {
    lacks: ['stable-key'] as const,
    condemned: [{ cell: shows, findings: ['two-effects'] as const }],
  };
  const known = { gate, target: { declaration: declarations.dedupes } };

  it('is condemned for what it declares, in the cells it declares', () => {
    expect(expectKnown(known, cellOf(shows))).toEqual({
      kind: 'reachable',
      findings: ['two-effects'],
    });
    expect(declaredFindings(known, cellOf(shows))).toEqual(['two-effects']);
  });

  it('is expected to reach nothing in any other cell', () => {
    expect(expectKnown(known, cellOf(other))).toMatchObject({
      kind: 'cannot-meet',
      why: expect.stringContaining('declares what is found only for the cells that show it'),
    });
  });

  it('can’t be tried where a sound gate can’t come either', () => {
    expect(expectKnown(known, cellOf(impossible)).kind).toBe('cannot-meet');
  });

  it('may as well be the target', () => {
    const target = { declaration: declarations.dedupes, condemned: gate.condemned };
    expect(declaredFindings({ gate: { lacks: [] }, target }, cellOf(shows))).toEqual([
      'two-effects',
    ]);
  });

  it('says nothing of what was not broken: that is derived', () => {
    const sound = { gate: { lacks: [] }, target: { declaration: declarations.dedupes } };
    expect(declaredFindings(sound, cellOf(shows))).toBeUndefined();
    expect(expectKnown(sound, cellOf(shows))).toEqual({ kind: 'reachable', findings: [] });
  });
});

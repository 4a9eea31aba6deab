import { describe, expect, it } from 'vitest';
import {
  allArmedFaults,
  type Cell,
  formatCellId,
  formatFault,
  formatKill,
  noFault,
  parseId,
} from './cell.ts';

const cell: Cell = {
  gate: 'reference',
  target: 'stripe.keyed',
  kill: 'during_call:now',
  recoveryKills: ['owned', 'before-resend'],
  fault: noFault,
  world: 'none',
  caller: 'same-again',
};

describe('the id of a cell', () => {
  it('names every axis, recovery kills among them', () => {
    expect(formatCellId(cell)).toBe(
      'reference/stripe.keyed/during_call:now+owned+before-resend/none/none/same-again',
    );
  });

  it('reads back as the cell it was made of, for every fault', () => {
    for (const fault of allArmedFaults) {
      const one = { ...cell, fault };
      expect(parseId(formatCellId(one)), formatFault(fault)).toEqual({
        kind: 'id',
        cell: one,
        trial: null,
      });
    }
  });

  it('says that the first is only paused, and where a second recoverer comes', () => {
    const paused: Cell = { ...cell, recoveryKills: [], paused: true };
    const met: Cell = { ...cell, recoveryKills: ['owned'], rivalAt: 'before-settle' };
    expect(formatKill(paused)).toBe('during_call:now+paused');
    expect(formatKill(met)).toBe('during_call:now+owned+rival@before-settle');
    for (const one of [paused, met]) {
      expect(parseId(formatCellId(one))).toEqual({ kind: 'id', cell: one, trial: null });
    }
  });

  it.each([
    ['reference/stripe.keyed', 'expected gate/target/kill/fault/world/caller'],
    ['a/b/nowhere/none/none/storm', 'unknown kill point "nowhere"'],
    ['a/b/before_wal+nowhere/none/none/storm', 'unknown kill point "before_wal+nowhere"'],
    ['a/b/before_wal+paused+owned/none/none/storm', 'unknown kill point'],
    ['a/b/before_wal+rival@owned+rival@owned/none/none/storm', 'unknown kill point'],
    ['a/b/before_wal/slow@look/none/storm', 'unknown fault "slow@look"'],
    ['a/b/before_wal/none/flood/storm', 'unknown world event "flood"'],
    ['a/b/before_wal/none/none/shout', 'unknown caller behaviour "shout"'],
    ['a/b/before_wal/none/none/storm/0', 'whole number from 1'],
  ])('of %s is none, and says why', (text, why) => {
    const parsed = parseId(text);
    expect(parsed.kind === 'not-an-id' && parsed.why).toContain(why);
  });
});

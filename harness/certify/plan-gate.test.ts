import { describe, expect, it } from 'vitest';
import { referencePoints } from '../../gate/reference/points.ts';
import { builtInCatalogue } from '../plan/catalogue.ts';
import type { GateEntry } from '../plan/catalogue-entry.ts';
import { loadCatalogue } from '../trial/run.ts';
import { root } from '../trial/testing/run-cells.ts';
import { killsFor, planGate } from './plan-gate.ts';

const gate: GateEntry = {
  name: 'mine',
  about: '',
  lacks: [],
  run: { kind: 'command', command: [] },
};
const loaded = loadCatalogue(builtInCatalogue(root, '.ts'), {}, ['stripe.keyed', 'stripe.lookup']);
const usual = { gate, seed: 1, trialsPerCell: 1, leavesOut: [] } as const;

describe('the plan for a gate', () => {
  it('kills at the points it announces, and during the call', () => {
    expect(killsFor(['before_wal'])).toEqual([
      'before_wal',
      'during_call:now',
      'during_call:later',
      'during_call:never',
    ]);
  });

  it('kills where the wire finds a place when it announces none', () => {
    const kills = killsFor([]);
    expect(kills).toContain('wire:connection');
    expect(kills).toContain('during_call:now');
    expect(kills).not.toContain('before_wal');
  });

  it('tries every target, faults, callers and worlds, and recovery where that is announced', async () => {
    const { targets } = await loaded;
    const { trials, excluded } = planGate({ ...usual, targets, points: referencePoints });
    const cells = trials.map(({ cell }) => cell);
    expect(new Set(cells.map(({ target }) => target))).toEqual(
      new Set(['stripe.keyed', 'stripe.lookup']),
    );
    expect(cells.some(({ recoveryKills }) => recoveryKills.length > 0)).toBe(true);
    expect(cells.some(({ paused }) => paused === true)).toBe(true);
    expect(cells.some(({ world }) => world === 'premise-changed')).toBe(true);
    expect(cells.some(({ caller }) => caller === 'over-cap')).toBe(true);
    expect(new Set(trials.map(({ id }) => id)).size).toBe(trials.length);
    expect(excluded.every(({ reason }) => reason.startsWith('cannot-meet: '))).toBe(true);
  });

  it('leaves out what the gate says it refuses, and says so', async () => {
    const { targets } = await loaded;
    const { trials, excluded } = planGate({
      ...usual,
      targets,
      points: referencePoints,
      leavesOut: ['premises', 'caps', 'distinct'],
    });
    const cells = trials.map(({ cell }) => cell);
    expect(cells.some(({ world }) => world === 'premise-changed')).toBe(false);
    expect(cells.some(({ caller }) => ['over-cap', 'second-legitimate'].includes(caller))).toBe(
      false,
    );
    const reasons = new Set(
      excluded.filter(({ kind }) => kind === 'on-purpose').map(({ reason }) => reason),
    );
    expect(reasons).toEqual(
      new Set([
        'the gate says that it leaves out premises',
        'the gate says that it leaves out caps',
        'the gate says that it leaves out distinct',
      ]),
    );
  });
});

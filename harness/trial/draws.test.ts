import { describe, expect, it } from 'vitest';
import { type ArmedFault, type Cell, noFault } from '../model/cell.ts';
import { trialSeed } from '../plan/plan.ts';
import { drawTrial } from './draws.ts';

const storm: Cell = {
  gate: 'reference',
  target: 'stripe.lookup',
  kill: 'before_wal',
  recoveryKills: [],
  fault: noFault,
  world: 'none',
  caller: 'storm',
};
const seeds = Array.from({ length: 400 }, (_, index) => trialSeed(7, `trial/${index}`));
const overlaps = (fault: ArmedFault) =>
  seeds.filter((seed) => drawTrial(seed, { ...storm, fault }).stormOverlapsRecovery).length;

describe('what a trial draws', () => {
  it('is the same for the same seed', () => {
    for (const seed of seeds) expect(drawTrial(seed, storm)).toEqual(drawTrial(seed, storm));
  });

  it('lets about half of the storms break into recovery', () => {
    expect(overlaps(noFault)).toBeGreaterThan(150);
    expect(overlaps(noFault)).toBeLessThan(250);
  });

  it('lets none break in where a fault waits for the callers’ connection, which could be recovery’s', () => {
    expect(overlaps({ fault: 'partition', phase: 'caller' })).toBe(0);
    expect(overlaps({ fault: 'partition-forever', phase: 'caller' })).toBe(0);
    expect(overlaps({ fault: 'partition', phase: 'first-send' })).toBe(overlaps(noFault));
  });
});

/** A rail's own fault is believed only where the wire shows the answer that it gives. */
import { describe, expect, it } from 'vitest';
import type { FaultName } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';
import { readFacts } from './facts.ts';
import { faultMissed } from './fault-missed.ts';
import { type PlantedTrial, plantSound, toHistory } from './plant.ts';
import { alter, insertBefore } from './plant-change.ts';

const sound = plantSound({ tier: 'keyed', kill: 'after_commit_before_ack' });

type RailFault = Exclude<FaultName, 'none'>;

/** The rail says that its fault struck, before anything was replied in `trial`. */
function check(fault: RailFault, trial: PlantedTrial) {
  const fired: ObservedEvent = { type: 'rail-fault-fired', fault };
  const struck = insertBefore(trial, (event) => event.type === 'replied', [fired]);
  const cell = { ...struck.spec.cell, fault: { fault, phase: 'first-send' } } as const;
  const spec = { ...struck.spec, cell };
  return faultMissed.check(spec, readFacts(spec, toHistory({ ...struck, spec })));
}

function answeredWith(status: number, trial = sound): PlantedTrial {
  return alter(trial, 'replied', (event) => ({ ...event, status }));
}

describe('a fault that only the rail can do', () => {
  it.each([
    ['refused-for-now', 429],
    ['refused-for-now', 405],
    ['refused-for-good', 422],
    ['half-done', 502],
    ['stored-error-lost', 500],
  ] as const)('%s is seen in a reply %i', (fault, status) => {
    expect(check(fault, answeredWith(status))).toEqual([]);
  });

  it.each([
    ['refused-for-now', 200],
    ['refused-for-now', 503],
    ['refused-for-good', 200],
    ['half-done', 200],
    ['half-done', 504],
    ['stored-error-lost', 200],
  ] as const)('%s is not believed beside a reply %i', (fault, status) => {
    const [missed] = check(fault, answeredWith(status));
    expect(missed?.finding).toBe('fault-missed');
    expect(missed?.message).toMatch(/on the wire, there was none/);
  });

  it.each(['refused-for-now', 'half-done'] as const)(
    '%s is not believed for a question that was turned down',
    (fault) => {
      const questions = alter(sound, 'request-whole', (event) => ({ ...event, mutating: false }));
      const [missed] = check(fault, answeredWith(fault === 'half-done' ? 502 : 404, questions));
      expect(missed?.message).toMatch(/to a call on the wire/);
    },
  );
});

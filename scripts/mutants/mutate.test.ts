import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { edges, gateEvents, states } from '../../gate/reference/states.ts';
import { edgeMutants, guardMutants } from './mutate.ts';

const statesText = readFileSync(new URL('../../gate/reference/states.ts', import.meta.url), 'utf8');

describe('mutants of the state machine', () => {
  const mutants = edgeMutants(statesText);

  it('are one for each pair of a state and an event', () => {
    expect(mutants).toHaveLength(states.length * gateEvents.length);
    expect(mutants.filter(({ kind }) => kind === 'edge-removed')).toHaveLength(edges.length);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  });

  it('each changes one step of the switch', () => {
    const removed = mutants.find(({ id }) => id.includes('HELD no longer takes approve'));
    expect(removed?.text).toContain(
      "): State {\n  if (state === 'HELD' && event === 'approve') throw new IllegalTransitionError(state, event);\n  switch",
    );
    const added = mutants.find(({ id }) => id.includes('APPLIED takes lost-track to UNKNOWN'));
    expect(added?.text).toContain(
      "if (state === 'APPLIED' && event === 'lost-track') return 'UNKNOWN';",
    );
  });

  it('can’t be made of a text without the switch', () => {
    expect(() => edgeMutants('export const nothing = 1;')).toThrow(/expected states\.ts to hold/);
  });
});

describe('mutants of guards', () => {
  it('negate each condition, one at a time', () => {
    const text = 'if (a) b();\nconst c = d && e ? 1 : 2;\nwhile (a) b();\nfor (; f < 2; ) b();\n';
    const mutants = guardMutants('x.ts', text);
    expect(mutants.map(({ id }) => id)).toEqual([
      'x.ts: !(a)',
      'x.ts: !(d && e)',
      'x.ts: !(a) #2',
      'x.ts: !(f < 2)',
    ]);
    expect(
      mutants.map((mutant) => mutant.text.split('\n').filter((line) => line.includes('!('))),
    ).toEqual([
      ['if (!(a)) b();'],
      ['const c = !(d && e) ? 1 : 2;'],
      ['while (!(a)) b();'],
      ['for (; !(f < 2); ) b();'],
    ]);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absorbingStates,
  edges,
  type GateEvent,
  gateEvents,
  IllegalTransitionError,
  type State,
  states,
  transition,
} from './states.ts';
import { renderStatesPage } from './states-page.ts';

describe('the switch agrees with the drawn edges', () => {
  test.for(edges)('$from takes "$event" to $to', ({ from, event, to }) => {
    expect(transition(from, event)).toBe(to);
  });

  test('every other pair of state and event is rejected', () => {
    for (const state of states) {
      for (const event of gateEvents) {
        if (edges.some((edge) => edge.from === state && edge.event === event)) continue;
        expect(() => transition(state, event), `${state} ${event}`).toThrow(IllegalTransitionError);
      }
    }
  });
});

test('the only edge into a call is from AUTHORIZED', () => {
  expect(edges.filter((edge) => edge.to === 'IN_FLIGHT').map((edge) => edge.from)).toEqual([
    'AUTHORIZED',
  ]);
});

test('after a first attempt only CONFIRMED_NOT_APPLIED and UNKNOWN lead back to AUTHORIZED', () => {
  const back = edges.filter((edge) => edge.to === 'AUTHORIZED').map((edge) => edge.from);
  expect(back).toEqual(['PROPOSED', 'HELD', 'UNKNOWN', 'CONFIRMED_NOT_APPLIED']);
});

test('AMBIGUOUS is left by a person’s word alone', () => {
  const events = edges.filter((edge) => edge.from === 'AMBIGUOUS').map((edge) => edge.event);
  expect(events).toEqual(['resolve-happened', 'resolve-absent']);
});

test('no schedule of events leaves an absorbing state or takes a step that is not drawn', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...gateEvents), { maxLength: 60 }), (schedule) => {
      let state: State = 'PROPOSED';
      for (const event of schedule) {
        const next = step(state, event);
        const isDrawn = edges.some(
          (edge) => edge.from === state && edge.event === event && edge.to === next,
        );
        expect(next === null || isDrawn).toBe(true);
        if (absorbingStates.includes(state)) expect(next).toBeNull();
        state = next ?? state;
      }
    }),
  );
});

test('the page in docs/ is the one that the data draws', () => {
  const page = new URL('../../docs/gate-states.md', import.meta.url);
  // `UPDATE_PAGES=1 npx vitest run gate/reference/states.test.ts` draws it anew.
  if (process.env.UPDATE_PAGES === '1') writeFileSync(page, renderStatesPage());
  expect(readFileSync(page, 'utf8')).toBe(renderStatesPage());
});

function step(state: State, event: GateEvent): State | null {
  try {
    return transition(state, event);
  } catch (thrown) {
    if (thrown instanceof IllegalTransitionError) return null;
    throw thrown;
  }
}

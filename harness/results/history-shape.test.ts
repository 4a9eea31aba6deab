import { describe, expect, it } from 'vitest';
import { plantSound, toHistory } from '../checkers/plant.ts';
import type { History } from '../model/history.ts';
import { shapeOf } from './history-shape.ts';

const history = toHistory(plantSound({ tier: 'keyed', kill: 'during_call:now' }));

/** The same history with every occurrence of one text replaced by another. */
function renamed(from: RegExp, to: string): History {
  return JSON.parse(JSON.stringify(history).replaceAll(from, to)) as History;
}

describe('the shape of a history', () => {
  it('is the same whatever the times, pids and ports', () => {
    const later = history.events.map((event) => ({ ...event, atMs: event.atMs + 17.5 }));
    expect(shapeOf({ ...history, events: later })).toBe(shapeOf(history));
    expect(shapeOf(renamed(/"pid":\d+/g, '"pid":4242'))).toBe(shapeOf(history));
  });

  it('differs when an event is missing or two have changed places', () => {
    const { events } = history;
    expect(shapeOf({ ...history, events: events.slice(1) })).not.toBe(shapeOf(history));
    expect(shapeOf({ ...history, events: [...events].reverse() })).not.toBe(shapeOf(history));
  });

  it('still tells one made-up name from two', () => {
    const withNames = (names: readonly string[]): History => ({
      ...history,
      events: names.map((name, index) => ({
        n: index + 1,
        atMs: index,
        witness: 'harness',
        event: { type: 'control', entityId: name, readBack: true, detail: '' },
      })),
    });
    expect(shapeOf(withNames(['re_a', 're_a']))).toBe(shapeOf(withNames(['re_b', 're_b'])));
    expect(shapeOf(withNames(['re_a', 're_a']))).not.toBe(shapeOf(withNames(['re_a', 're_b'])));
    const uuid = (digit: string) => `${digit.repeat(8)}-4444-4444-4444-${digit.repeat(12)}`;
    expect(shapeOf(withNames([uuid('1')]))).toBe(shapeOf(withNames([uuid('2')])));
  });
});

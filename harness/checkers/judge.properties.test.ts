import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../model/findings.ts';
import type { History } from '../model/history.ts';
import { parseHistory } from '../model/parse-history.ts';
import type { Verdict } from '../model/verdict.ts';
import { areRelated } from './causality.ts';
import { judge } from './judge.ts';
import { toLines } from './plant.ts';
import { plantedHistories, soundHistories } from './planted.ts';

const everyHistory = [...soundHistories, ...plantedHistories];
const fewRuns = { numRuns: 300 };
/** For tests that go through every history, on a machine that has other things to do. */
const everyHistoryMs = 60_000;

describe('a history that was cut', () => {
  it('never holds, wherever it was cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...soundHistories), fc.nat(), ({ spec, history }, at) => {
        const lines = toLines(history).split('\n');
        const kept = 1 + (at % history.events.length);
        const cut = parseHistory(`${lines.slice(0, kept).join('\n')}\n`);
        expect(cut.complete).toBe(false);
        expect(judge(spec, cut, []).verdict).toBe('inconclusive');
      }),
      fewRuns,
    );
  });

  it(
    'is inconclusive without its footer, though every event is there',
    () => {
      for (const { spec, history } of soundHistories) {
        const text = toLines(history);
        const whole = parseHistory(text);
        expect(whole).toEqual(history);
        const cut = parseHistory(text.slice(0, text.lastIndexOf('{"footer"')));
        expect(cut.events).toEqual(history.events);
        expect(judge(spec, cut, []).verdict).toBe('inconclusive');
      }
    },
    everyHistoryMs,
  );

  it('never holds when the middle of a line is gone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...soundHistories), fc.nat(), ({ spec, history }, at) => {
        const text = toLines(history);
        const body = text.indexOf('\n') + 1;
        const cut = body + (at % (text.length - body - 1));
        expect(judge(spec, parseHistory(text.slice(0, cut)), []).verdict).toBe('inconclusive');
      }),
      fewRuns,
    );
  });
});

describe('the order of unrelated events', () => {
  it(
    'never changes a verdict when two neighbours change places',
    () => {
      let swaps = 0;
      for (const { spec, history } of everyHistory) {
        const before = substance(judge(spec, history, []));
        for (let index = 0; index + 1 < history.events.length; index += 1) {
          const swapped = swap(history, index);
          if (swapped === null) continue;
          swaps += 1;
          expect(substance(judge(spec, swapped, []))).toEqual(before);
        }
      }
      expect(swaps).toBeGreaterThan(1000);
    },
    everyHistoryMs,
  );

  it('never changes a verdict however often neighbours change places', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...everyHistory),
        fc.array(fc.nat(), { minLength: 50, maxLength: 400 }),
        ({ spec, history }, places) => {
          const shuffled = places.reduce(
            (current, place) => swap(current, place % (current.events.length - 1)) ?? current,
            history,
          );
          expect(substance(judge(spec, shuffled, []))).toEqual(substance(judge(spec, history, [])));
        },
      ),
      fewRuns,
    );
  });
});

describe('judging', () => {
  it(
    'gives the same verdict twice and leaves its input as it was',
    () => {
      for (const { spec, history } of everyHistory) {
        const copy = structuredClone({ spec, history });
        deepFreeze(copy);
        expect(judge(copy.spec, copy.history, [])).toEqual(judge(spec, history, []));
      }
    },
    everyHistoryMs,
  );
});

/** Event numbers follow the interleaving; everything else of a verdict must not. */
function substance({ verdict, findings, notes, meetsExpectation }: Verdict) {
  const told = findings.map(({ finding, message }: Finding) => ({ finding, message }));
  return { verdict, findings: told, notes, meetsExpectation };
}

/** Null when the event and its neighbour are related. */
function swap(history: History, index: number): History | null {
  const left = history.events[index];
  const right = history.events[index + 1];
  if (left === undefined || right === undefined || areRelated(left.event, right.event)) return null;
  const events = history.events.with(index, { ...right, n: left.n });
  return { ...history, events: events.with(index + 1, { ...left, n: right.n }) };
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
}

import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../model/results.ts';
import { findBlindSpots as findIn } from './blind-spots.ts';
import { assertAddsUp, countRecords } from './counts.ts';
import { exitCodeOf } from './exit-code.ts';
import { lastFailedIds } from './last-failed.ts';
import {
  sampleCondemned,
  sampleExcluded,
  sampleGates,
  sampleNotRun,
  sampleRecord,
  sampleResults,
} from './testing/sample.ts';

const inconclusive = sampleRecord({ verdict: 'inconclusive', meetsExpectation: false });
const tooMany = sampleRecord({
  verdict: 'violated',
  meetsExpectation: false,
  findings: [{ finding: 'phantom', message: 'm' }],
});
const tooFew = sampleCondemned({ verdict: 'holds', meetsExpectation: false, findings: [] });

describe('counts', () => {
  it('count every record once', () => {
    const records = [
      sampleRecord(),
      sampleCondemned(),
      inconclusive,
      sampleNotRun(),
      sampleExcluded(),
    ];
    expect(countRecords(records)).toEqual({
      planned: 5,
      holds: 1,
      violated: 1,
      inconclusive: 1,
      notRun: 1,
      excluded: 1,
    });
  });

  it('that do not add up stop the run', () => {
    const counts = { ...countRecords([sampleRecord()]), planned: 2 };
    expect(() => assertAddsUp(counts)).toThrow('2 planned, 1 accounted for');
  });
});

describe('the exit code of results', () => {
  const codeOf = (...records: Parameters<typeof sampleResults>[0]) =>
    exitCodeOf(sampleResults(records));

  it('is 0 when every trial meets its expectation, condemned ones included', () => {
    expect(codeOf(sampleRecord(), sampleCondemned(), sampleExcluded())).toBe(0);
  });
  it('is 1 for a finding too many', () => {
    expect(codeOf(sampleRecord(), tooMany)).toBe(1);
  });
  it('is 1 for an expected finding that is missing', () => {
    expect(codeOf(sampleRecord(), tooFew)).toBe(1);
  });
  it('is 1 also where another trial is inconclusive', () => {
    expect(codeOf(inconclusive, tooMany)).toBe(1);
  });
  it('is 2 for an inconclusive trial', () => {
    expect(codeOf(sampleRecord(), inconclusive)).toBe(2);
  });
  it('is 2 for a trial that was not run', () => {
    expect(codeOf(sampleRecord(), sampleNotRun())).toBe(2);
  });
  it('is 2 for nothing but exclusions, and for nothing at all', () => {
    expect(codeOf(sampleExcluded())).toBe(2);
    expect(codeOf()).toBe(2);
  });
  it('is 2 for a run that did not come to its end', () => {
    expect(exitCodeOf(sampleResults([sampleRecord()], { finished: false }))).toBe(2);
  });
  it('is 2 for a blind spot alone', () => {
    expect(exitCodeOf(sampleResults([sampleRecord()], { blindSpots: ['x'] }))).toBe(2);
  });
});

describe('blind spots', () => {
  const findBlindSpots = (records: readonly TrialRecord[]) => findIn(records, sampleGates);
  const at = (kill: string, fault = 'none', gate = 'reference') =>
    `${gate}/stripe.keyed/${kill}/${fault}/none/same-again/1`;

  it('are none where every kill and every fault was conclusive once', () => {
    const records = [
      sampleRecord({ id: at('before_wal') }),
      sampleRecord({ id: at('during_call:now', 'reply-lost@resend') }),
      sampleCondemned(),
    ];
    expect(findBlindSpots(records)).toEqual([]);
  });
  it('name zero trials', () => {
    expect(findBlindSpots([sampleExcluded()])).toEqual([
      'not one trial: nothing was tried, so nothing was shown',
    ]);
  });
  it('name a kill point without a proven kill, with its gloss', () => {
    const spots = findBlindSpots([sampleRecord(), { ...inconclusive, id: at('before_wal') }]);
    expect(spots).toContain(
      "no proven kill at before_wal (before the intent's attempt was durable)",
    );
  });
  it('name a fault that never took effect', () => {
    const id = at('during_call:now', 'reply-lost@resend');
    expect(findBlindSpots([sampleRecord(), { ...inconclusive, id }])).toEqual([
      'reply-lost@resend never took effect in a conclusive trial',
    ]);
  });
  it('name a pair that was never conclusive though its kill and its fault were', () => {
    const records = [
      sampleRecord({ id: at('during_call:now', 'reply-lost@resend') }),
      sampleRecord({ id: at('during_call:never') }),
      { ...inconclusive, id: at('during_call:never', 'reply-lost@resend') },
    ];
    expect(findBlindSpots(records)).toEqual([
      'no conclusive trial of during_call:never with reply-lost@resend',
    ]);
  });
  it('name a kill point at which a gate that lacks nothing never holds', () => {
    expect(findBlindSpots([tooMany])).toEqual([
      'reference holds nowhere at during_call:now, so nothing shows that it can',
    ]);
  });
  it('ask no gate that lacks rules to hold', () => {
    expect(findBlindSpots([sampleCondemned()])).toEqual([]);
  });
  it('name that no gate that lacks rules was condemned', () => {
    expect(findBlindSpots([sampleRecord(), tooFew])).toEqual([
      'no gate that lacks rules was condemned, so nothing shows that a broken promise is seen',
    ]);
  });
});

describe('what is run again', () => {
  it('is what was unmet, inconclusive or not run, and neither the condemned nor the excluded', () => {
    const records = [
      sampleRecord(),
      sampleCondemned(),
      { ...tooMany, id: 'a' },
      { ...inconclusive, id: 'b' },
      sampleNotRun({ id: 'c' }),
      sampleExcluded(),
    ];
    expect(lastFailedIds(records)).toEqual(['a', 'b', 'c']);
  });
});

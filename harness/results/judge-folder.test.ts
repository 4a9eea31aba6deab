import { describe, expect, it } from 'vitest';
import { compareRun, compareTrial, type Rejudged } from './judge-folder.ts';
import { sampleNotRun, sampleRecord, sampleResults } from './testing/sample.ts';

const stored = sampleRecord();
const judged = (record = stored, complete = true): Rejudged => ({
  kind: 'judged',
  record,
  complete,
});
const kinds = (...[record, rejudged]: Parameters<typeof compareTrial>) =>
  compareTrial(record, rejudged).map(({ kind }) => kind);

describe('a stored trial and its history', () => {
  it('that agree differ in nothing', () => {
    expect(kinds(stored, judged())).toEqual([]);
  });
  it('differ when the history is missing', () => {
    expect(kinds(stored, { kind: 'missing' })).toEqual(['history-missing']);
  });
  it('differ when the history was changed though the verdict is the same', () => {
    expect(kinds(stored, judged({ ...stored, historySha256: 'bb' }))).toEqual(['history-changed']);
  });
  it('differ when the verdict comes out otherwise', () => {
    const [difference] = compareTrial(stored, judged({ ...stored, verdict: 'inconclusive' }));
    expect(difference?.message).toBe('verdict: stored "holds", judged now "inconclusive"');
  });
  it('differ when the history is of another trial', () => {
    expect(kinds(stored, judged({ ...stored, id: 'another' }))).toEqual(['record-differs']);
  });
  it('differ when nobody can read the history', () => {
    const unreadable: Rejudged = { kind: 'unreadable', why: 'no header', historySha256: 'cc' };
    expect(kinds(stored, unreadable)).toEqual(['history-changed', 'history-unreadable']);
  });
  it('do not differ in how long the trial took, which no history says', () => {
    expect(kinds(stored, judged({ ...stored, durationMs: 5 }))).toEqual([]);
  });
  it('differ when a trial stored as not run has run', () => {
    expect(kinds(sampleNotRun(), judged())).toEqual(['ran-after-all']);
    expect(kinds(sampleNotRun(), judged(stored, false))).toEqual([]);
    expect(kinds(sampleNotRun(), { kind: 'missing' })).toEqual([]);
  });
});

describe('stored results by themselves', () => {
  it('agree when they were assembled from their records', () => {
    expect(compareRun(sampleResults([stored]))).toEqual([]);
  });
  it('differ when a count was touched', () => {
    const results = sampleResults([stored]);
    const counts = { ...results.counts, holds: 2 };
    expect(compareRun({ ...results, counts })).toEqual([
      {
        kind: 'counts-differ',
        about: null,
        message: 'counts.holds: stored 2, the records give 1',
      },
    ]);
  });
  it('differ when a blind spot was taken out', () => {
    const results = sampleResults([]);
    expect(compareRun({ ...results, blindSpots: [] }).map(({ kind }) => kind)).toEqual([
      'blind-spots-differ',
    ]);
  });
  it('differ when a trial is listed twice', () => {
    expect(compareRun(sampleResults([stored, stored])).map(({ kind }) => kind)).toEqual([
      'listed-twice',
    ]);
  });
});

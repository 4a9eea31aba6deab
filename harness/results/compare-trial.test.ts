import { describe, expect, it } from 'vitest';
import { parseId } from '../model/cell.ts';
import type { TrialRecord } from '../model/results.ts';
import { compareTrial, type JudgedSpec, type Rejudged } from './compare-trial.ts';
import {
  sampleExcluded,
  sampleNotRun,
  sampleRecord,
  sampleResults,
  sampleTargets,
} from './testing/sample.ts';

const stored = sampleRecord();
const run = sampleResults([stored]);

function specOf(id: string, changes: Partial<JudgedSpec> = {}): JudgedSpec {
  const parsed = parseId(id);
  const [{ declaration } = { declaration: undefined }] = sampleTargets;
  if (parsed.kind === 'not-an-id' || declaration === undefined) throw new Error(id);
  const { cell, trial } = parsed;
  const gate = { command: [], lacks: [] };
  return { id, cell, trial: trial ?? 1, gate, declaration, ...changes };
}

const judged = (record = stored, spec = specOf(stored.id)): Rejudged => ({
  kind: 'judged',
  record,
  spec,
});
const missing: Rejudged = { kind: 'missing' };
const compare = (record: TrialRecord, rejudged: Rejudged) => compareTrial(record, rejudged, run);
const kinds = (record: TrialRecord, rejudged: Rejudged) =>
  compare(record, rejudged).map(({ kind }) => kind);
const messages = (record: TrialRecord, rejudged: Rejudged) =>
  compare(record, rejudged).map(({ message }) => message);

describe('a stored trial and its history', () => {
  it('that agree differ in nothing', () => {
    expect(compare(stored, judged())).toEqual([]);
  });
  it('differ when the history is missing', () => {
    expect(kinds(stored, missing)).toEqual(['history-missing']);
  });
  it('differ when the history was changed though the verdict is the same', () => {
    expect(kinds(stored, judged({ ...stored, historySha256: 'bb' }))).toEqual(['history-changed']);
  });
  it('differ when the verdict comes out otherwise', () => {
    expect(messages(stored, judged({ ...stored, verdict: 'inconclusive' }))).toEqual([
      'verdict: stored "holds", judged now "inconclusive"',
    ]);
  });
  it.each([
    ['expectedFindings', ['two-effects']],
    ['demandedO1', 'U0'],
    ['demandedO2', 'U0'],
    ['shapeSha256', 'bb'],
    ['notes', ['ended at U1']],
  ])('differ in %s', (field, value) => {
    const [message, ...rest] = messages({ ...stored, [field]: value }, judged());
    expect(message).toMatch(new RegExp(`^${field}: stored .*, judged now `));
    expect(rest).toEqual([]);
  });
  it('differ when the seed is not the one the run gives, even where the history has it too', () => {
    const moved = { ...stored, seed: 7 };
    expect(messages(moved, judged(moved))).toEqual([
      `seed: stored 7, the run's seed 9 and the id give ${stored.seed}`,
    ]);
  });
  it('differ when the history is of another trial', () => {
    const other = stored.id.replace(/1$/, '2');
    const found = messages(stored, judged({ ...stored, id: other }, specOf(other)));
    expect(found[0]).toMatch(/^id: stored /);
    expect(found[1]).toMatch(/^cell: the results say /);
  });
  it('differ when the history is of a gate that lacks a rule, or of another declaration', () => {
    const gate = { command: [], lacks: ['payload-bound' as const] };
    expect(kinds(stored, judged(stored, specOf(stored.id, { gate })))).toEqual(['subject-differs']);
    const { declaration } = specOf(stored.id);
    const blind = { ...declaration, dedupe: null };
    expect(kinds(stored, judged(stored, specOf(stored.id, { declaration: blind })))).toEqual([
      'subject-differs',
    ]);
  });
  it('differ when the results do not know the gate or the target', () => {
    const record = sampleRecord({ id: stored.id.replace('reference', 'stranger') });
    expect(messages(record, judged(record, specOf(record.id)))).toEqual([
      'the results say nothing of the gate stranger',
    ]);
  });
  it('differ when nobody can read the history', () => {
    const unreadable = (historySha256: string | null): Rejudged => ({
      kind: 'unreadable',
      why: 'no header',
      historySha256,
    });
    expect(kinds(stored, unreadable('cc'))).toEqual(['history-changed', 'history-unreadable']);
    expect(kinds(stored, unreadable(null))).toEqual(['history-unreadable']);
  });
  it('do not differ in how long the trial took, which no history says', () => {
    expect(kinds(stored, judged({ ...stored, durationMs: 5 }))).toEqual([]);
  });
});

describe('a trial stored as not run', () => {
  it('agrees with what follows from its cell and the seed', () => {
    expect(compare(sampleNotRun(), missing)).toEqual([]);
  });
  it('differs when any history of it is there, whole or not', () => {
    expect(kinds(sampleNotRun(), judged())).toEqual(['ran-after-all']);
    const cut: Rejudged = { kind: 'unreadable', why: 'cut', historySha256: 'aa' };
    expect(kinds(sampleNotRun(), cut)).toEqual(['ran-after-all']);
  });
  it('differs in its seed, in what is demanded and in what was expected', () => {
    const changed = sampleNotRun({ seed: 1, demandedO2: 'A0', expectedFindings: ['phantom'] });
    expect(messages(changed, missing).map((message) => message.split(':')[0])).toEqual([
      'seed',
      'expectedFindings',
      'demandedO2',
    ]);
  });
});

describe('a cell stored as excluded', () => {
  it('agrees when the cell can’t meet its fault, for the reason that is stored', () => {
    expect(compare(sampleExcluded(), missing)).toEqual([]);
    const otherwise = sampleExcluded({ reason: 'cannot-meet: bad luck' });
    expect(messages(otherwise, missing)[0]).toMatch(/^reason: stored "cannot-meet: bad luck"/);
  });
  it('differs when it is a violated trial under another word', () => {
    const record = sampleExcluded({ id: stored.id, seed: 9 });
    expect(kinds(record, judged())).toEqual(['ran-after-all', 'excluded-wrongly']);
    expect(kinds(record, missing)).toEqual(['excluded-wrongly']);
  });
  it('differs when nothing rules the cell out', () => {
    const record = sampleExcluded({ id: stored.id.replace(/\/1$/, '') });
    expect(messages(record, missing)).toEqual([
      expect.stringContaining('nothing rules the cell out'),
    ]);
  });
  it('agrees when the matrix left the cell out on purpose, for the reason it gave', () => {
    const id = stored.id.replace(/\/1$/, '');
    const exclusions = [{ match: 'reference/', reason: 'too slow', link: 'issue 7' }];
    const withPurpose = { ...run, plan: { ...run.plan, exclusions } };
    const record = sampleExcluded({ id, reason: 'too slow (issue 7)' });
    expect(compareTrial(record, missing, withPurpose)).toEqual([]);
  });
  it('agrees when it can’t meet its fault, though an exclusion of another included matrix matches', () => {
    const exclusions = [{ match: 'reference/', reason: 'too slow', link: 'issue 7' }];
    const withPurpose = { ...run, plan: { ...run.plan, exclusions } };
    expect(compareTrial(sampleExcluded(), missing, withPurpose)).toEqual([]);
    const otherwise = sampleExcluded({ reason: 'bad luck' });
    expect(compareTrial(otherwise, missing, withPurpose)).toHaveLength(1);
  });
});

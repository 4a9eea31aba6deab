import { describe, expect, it } from 'vitest';
import { type MatrixSlice, sliceSchema } from '../model/matrix.ts';
import {
  observed,
  sampleCondemned,
  sampleExcluded,
  sampleNotRun,
  sampleRecord,
  sampleResults,
} from '../results/testing/sample.ts';
import { renderMarkdown } from './markdown.ts';
import { type JournalAtEnd, renderStory } from './story.ts';

const slice: MatrixSlice = {
  chapter: {
    title: 'The crash alone',
    tells: 'The process is killed, and $20 are asked for again.',
  },
  gates: ['reference', 'naive'],
  targets: ['stripe.keyed'],
  kills: ['during_call:now', 'before_wal'],
  faults: ['none'],
  worlds: ['none'],
  callers: ['same-again'],
  trialsPerCell: 1,
};
const usd = (amountMinor: number) => ({ amountMinor, currency: 'usd' });
const once: JournalAtEnd = { own: [usd(2000)], byOthers: [] };
const green = sampleRecord();
const red = sampleCondemned();
const results = sampleResults([green, red]);

function tell(journals: readonly (readonly [string, JournalAtEnd])[], records = [green, red]) {
  return renderStory(sampleResults(records), {
    title: 'A customer paid $100',
    slices: [slice],
    journals: new Map(journals),
  });
}

describe('a matrix whose slices tell chapters', () => {
  it('is told in dollars: what the customer got, what the gate says, and the verdict in words', () => {
    const text = tell([
      [green.id, once],
      [red.id, { own: [usd(2000), usd(3000)], byOthers: [usd(2050)] }],
    ]);
    expect(text).toContain('### The crash alone\n\nThe process is killed, and $20 are asked for');
    expect(text).toContain('| reference | $20; says it happened | holds |');
    expect(text).toContain(
      '| naive | $70.50: $50 by the gate, $20.50 by hand; says it happened | **two-effects**: the journal holds more than one',
    );
  });
  it('has a column for every crash, in the order of an effect’s life', () => {
    const early = sampleRecord({ id: green.id.replace('during_call:now', 'before_wal') });
    const text = tell([[green.id, once]], [green, early]);
    expect(text).toMatch(/\| killed: before the intent.* \| killed: the request took effect/);
    expect(text).toContain(
      '| reference | journal not read; says it happened | $20; says it happened | holds |',
    );
  });
  it('tells what only people did, and what nobody did', () => {
    const refused = sampleRecord({ o2: observed('refused', 0) });
    const byHand = tell([[refused.id, { own: [], byOthers: [usd(2000)] }]], [refused]);
    expect(byHand).toContain('| $20, by hand; refuses |');
    const asks = sampleRecord({ o2: observed('unknown', 0) });
    expect(tell([[asks.id, { own: [], byOthers: [] }]], [asks])).toContain(
      '| nothing; can’t know, asks a person |',
    );
  });
  it('counts effects that name no amount', () => {
    expect(tell([[green.id, { own: [{ row: 7 }], byOthers: [] }]])).toContain('| 1 effect; says');
  });
  it('says how many of the crashes broke a promise, and why there was none', () => {
    const early = sampleRecord({ id: red.id.replace('during_call:now', 'before_wal') });
    expect(tell([], [red, early])).toContain('**two-effects** (1 of 2): the journal');
    const left = sampleExcluded({ id: 'reference/stripe.keyed/before_wal/none/none/same-again' });
    expect(tell([], [left])).toMatch(/\| reference \| – \| cannot-meet: /);
    expect(tell([], [sampleNotRun()])).toContain('| not run | the run was interrupted |');
  });
  it('takes only the trials of its own slice', () => {
    const other = sampleRecord({ id: green.id.replace('none/none/same-again', 'none/none/storm') });
    expect(tell([[other.id, once]], [other])).not.toContain('reference');
  });
  it('stands in the run’s tables, and only there where it is told', () => {
    const story = { title: 'A story', slices: [slice], journals: new Map() };
    expect(renderMarkdown(results, story)).toContain('## The story\n\nA story.');
    expect(renderMarkdown(results)).not.toContain('The story');
    const { chapter: _, ...plain } = slice;
    expect(renderMarkdown(results, { ...story, slices: [plain] })).not.toContain('The story');
  });
  it('has a title and a sentence in every chapter', () => {
    expect(sliceSchema.safeParse(slice).success).toBe(true);
    const untold = { ...slice, chapter: { title: 'The crash alone' } };
    expect(sliceSchema.safeParse(untold).success).toBe(false);
  });
});

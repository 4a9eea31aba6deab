import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  observed,
  sampleCondemned,
  sampleExcluded,
  sampleNotRun,
  sampleRecord,
  sampleResults,
} from '../results/testing/sample.ts';
import { renderMarkdown } from './markdown.ts';
import { startProgress } from './progress.ts';
import { formatReached } from './reached.ts';
import { isTableReached, reachedRows } from './reached-table.ts';
import { formatDuration } from './rerun.ts';
import { renderTerminal } from './terminal.ts';

const unmet = sampleRecord({
  id: 'reference/stripe.blind/before_wal/none/none/same-again/1',
  verdict: 'violated',
  meetsExpectation: false,
  findings: [{ finding: 'phantom', message: 'expected an effect, none | <b>came</b>\nat all' }],
  o2: observed('happened', 0),
  demandedO1: 'A0',
  demandedO2: 'H1',
});
const mixed = sampleResults([sampleRecord(), sampleCondemned(), unmet, sampleExcluded()]);
const terminal = (results = mixed, width = 160) =>
  renderTerminal(results, { width, colour: false });

describe('the terminal summary', () => {
  it('shows the worst row first', () => {
    const rows = terminal()
      .split('\n')
      .filter((line) => /^│ (reference|naive)/.test(line));
    expect(rows.map((row) => row.split('│').at(-2)?.trim())).toEqual([
      '1 NOT AS EXPECTED',
      'condemned as expected',
      'holds',
    ]);
  });
  it('gives one command for every unmet trial, with the seed that repeats it', () => {
    expect(terminal()).toContain(`npx killpoint run ${unmet.id} --seed 9`);
  });
  it('says what was found, what was demanded and what was reached', () => {
    expect(terminal()).toContain('phantom: expected an effect');
    expect(terminal()).toContain('demanded A0→H1, reached H1→H0');
  });
  it('names an expected finding that is missing', () => {
    const missing = sampleCondemned({ verdict: 'holds', meetsExpectation: false, findings: [] });
    expect(terminal(sampleResults([missing]))).toContain('expected and not found: two-effects');
  });
  it('explains a violation that had to be found', () => {
    expect(terminal()).toMatch(/Condemned as expected[\s\S]*naive: 1 trial violated/);
  });
  it('counts every part by itself', () => {
    expect(terminal()).toContain(
      '4 planned = 1 holds + 2 violated + 0 inconclusive + 0 not run + 1 excluded',
    );
  });
  it('says why trials did not run and what was not seen', () => {
    const text = terminal(sampleResults([sampleNotRun()], { finished: false }));
    expect(text).toContain('1 × the run was interrupted');
    expect(text).toContain('no proven kill at during_call:now');
  });
  it('keeps to the width of the terminal', () => {
    const widest = Math.max(
      ...terminal(mixed, 140)
        .split('\n')
        .filter((line) => line.startsWith('│'))
        .map((line) => line.length),
    );
    expect(widest).toBeLessThanOrEqual(140);
  });
});

describe('the markdown tables', () => {
  it('put the same crash under a gate that holds and one that is found guilty side by side', () => {
    const text = renderMarkdown(mixed);
    expect(text).toContain('## One crash, two gates');
    expect(text).toContain('| green | reference | happened | 1 effect | holds (H1→H1) |');
    expect(text).toContain(
      '| red | naive | happened | 2 effects | violated: two-effects (H2→H2) |',
    );
  });
  it('hide no difference between demanded and reached', () => {
    expect(renderMarkdown(mixed)).toMatch(
      /stripe\.blind \| before_wal .*\| A0→H1 \| H1→H0 \| 1 \| DIFFERS \|/,
    );
  });
  it('say how to make them again and what SIGKILL cannot show', () => {
    const text = renderMarkdown(mixed);
    expect(text).toContain('npx killpoint run sample --seed 9');
    expect(text).toMatch(/page cache.*fsync/s);
  });
  it('of a run that has not ended say so first', () => {
    const text = renderMarkdown(sampleResults([sampleNotRun()], { finished: false }));
    expect(text.split('\n', 3).at(-1)).toContain('did not come to its end');
  });
  it('let no message of a subject break a line or begin markup', () => {
    expect(renderMarkdown(mixed)).toContain('none | &lt;b>came&lt;/b> at all');
  });
});

describe('the reached table', () => {
  it('is not reached where a kill point has no trial', () => {
    const rows = reachedRows({ trials: [sampleRecord()] });
    expect(rows.map(({ status }) => status)).toEqual([
      'missing',
      'missing',
      'as-demanded',
      'missing',
      'missing',
      'missing',
      'missing',
    ]);
    expect(isTableReached(rows)).toBe(false);
  });
  it('shows every ending that was reached, and one that is not allowed makes it differ', () => {
    const other = sampleRecord({
      id: sampleRecord().id.replace(/1$/, '2'),
      o1: observed('unknown', 1),
    });
    const row = reachedRows({ trials: [sampleRecord(), other] })[2];
    expect(row?.reached).toEqual(['H1→H1', 'U1→H1']);
    expect(row?.status).toBe('differs');
  });
  it('leaves out gates that lack rules, and is not reached when it is empty', () => {
    const rows = reachedRows({ trials: [sampleCondemned()] });
    expect(rows).toEqual([]);
    expect(isTableReached(rows)).toBe(false);
  });
  it('tells an unknown that waits for a person from one that waits for nobody', () => {
    expect(formatReached(observed('unknown', 1))).toBe('U1');
    const outcome = { outcome: 'unknown', state: null, attempts: 1 } as const;
    expect(formatReached({ effects: 1, outcome: { ...outcome, disposition: 'settled' } })).toBe(
      'U!1',
    );
    expect(formatReached({ effects: 1, outcome: { ...outcome, disposition: 'working' } })).toBe(
      'W1',
    );
    expect(formatReached(null)).toBe('?');
  });
});

describe('progress', () => {
  const watch = () => {
    let nowMs = 0;
    const stream = new PassThrough();
    const progress = startProgress({ stream, isTerminal: false, total: 3, now: () => nowMs });
    return { stream, progress, wait: (ms: number) => (nowMs += ms) };
  };

  it('without a terminal is a line every few seconds and one at the end', () => {
    const { stream, progress, wait } = watch();
    wait(1_000);
    progress.onTrial(sampleRecord(), 1, 3);
    wait(5_000);
    progress.onTrial(unmet, 2, 3);
    wait(100);
    progress.onTrial(sampleRecord(), 3, 3);
    progress.stop();
    expect(String(stream.read()).trim().split('\n')).toEqual([
      '2 of 3 trials, 0.3 a second, 3.0 s left, 1 not as expected',
      '3 of 3 trials, 0.5 a second, 0 ms left, 1 not as expected',
    ]);
  });
  it('names durations in the unit that fits', () => {
    expect([0, 999, 1_000, 59_900, 125_000].map(formatDuration)).toEqual([
      '0 ms',
      '999 ms',
      '1.0 s',
      '59.9 s',
      '2 min 5 s',
    ]);
  });
});

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
  it('shows kills of recovery as rows of their own', () => {
    const id = sampleRecord().id.replace('call:now', 'call:now+owned');
    const rows = terminal(sampleResults([sampleRecord(), sampleRecord({ id })]))
      .split('\n')
      .filter((line) => line.startsWith('│ reference'));
    expect(rows.map((row) => row.split('│')[3]?.trim())).toEqual([
      'during_call:now',
      'during_call:now+owned',
    ]);
  });
  it('speaks of memory only when enough trials ran for it to mean something', () => {
    const memory = { afterTenthMiB: 100, atEndMiB: 101 };
    const ran = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        sampleRecord({ id: sampleRecord().id.replace(/1$/, String(index + 1)) }),
      );
    expect(terminal(sampleResults(ran(49), { memory }))).not.toContain('memory');
    expect(terminal(sampleResults(ran(50), { memory }))).toContain('100 MiB after a tenth');
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
  it('count endings that were demanded, and name only the others', () => {
    const blind = (kill: string, number: number) =>
      `reference/stripe.blind/${kill}/none/none/same-again/${number}`;
    const text = renderMarkdown(
      sampleResults([
        sampleRecord({ id: blind('before_wal', 1) }),
        sampleRecord({ id: blind('before_wal', 2) }),
        sampleRecord({ id: blind('during_call:now', 1) }),
        sampleRecord({ id: blind('during_call:now', 2), o2: observed('unknown', 1) }),
        sampleCondemned(),
      ]),
    );
    expect(text).toContain('### stripe.blind\n\n| killed at | reference: neither |');
    expect(text).toContain('### stripe.keyed\n\n| killed at | naive: dedupes, in window |');
    expect(text).toContain('| H1→H1; 2 of 2 hold; all as demanded |');
    expect(text).toContain('| H1→H1; 2 of 2 hold; 1 as demanded, the others H1→U1 |');
    expect(text).toContain('| 0 of 1 hold; 1 two-effects; 0 as demanded, the others H2→H2 |');
  });
  it('say how many trials ended elsewhere than demanded without breaking a promise', () => {
    const elsewhere = sampleRecord({ notes: ['ended at U1→H1 where H1→H1 is demanded; …'] });
    const other = sampleRecord({ notes: ['the subject spoke nonsense once'] });
    const line = '1 trial ended elsewhere than demanded without breaking a promise';
    expect(renderMarkdown(sampleResults([elsewhere, other]))).toContain(line);
    expect(terminal(sampleResults([elsewhere, other]))).toContain(line);
    expect(terminal(sampleResults([other]))).not.toContain('ended elsewhere');
  });
  it('hide no difference between demanded and reached', () => {
    expect(renderMarkdown(mixed)).toMatch(
      /stripe\.blind \| neither \| before_wal .*\| A0→H1 \| H1→H0 \| 1 \| DIFFERS \|/,
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
    const rows = reachedRows(sampleResults([sampleRecord()]));
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
    const row = reachedRows(sampleResults([sampleRecord(), other]))[2];
    expect(row?.reached).toEqual(['H1→H1', 'U1→H1']);
    expect(row?.status).toBe('differs');
  });
  it('leaves out gates that lack rules, and is not reached when it is empty', () => {
    const rows = reachedRows(sampleResults([sampleCondemned()]));
    expect(rows).toEqual([]);
    expect(isTableReached(rows)).toBe(false);
  });
  it('names the class each target amounts to, and after a long outage the one it is then', () => {
    const after = sampleRecord({
      id: 'reference/stripe.keyed/before_wal/none/long-outage/same-again/1',
      o1: observed('absent', 0),
      demandedO1: 'A0',
    });
    const blind = sampleRecord({ id: sampleRecord().id.replace('keyed', 'blind') });
    const rows = reachedRows(sampleResults([sampleRecord(), blind, after]));
    expect(rows).toHaveLength(21);
    expect([...new Set(rows.map(({ target, classTitle }) => `${target}: ${classTitle}`))]).toEqual([
      'stripe.keyed: dedupes, in window',
      'stripe.keyed: window over, no lookup',
      'stripe.blind: neither',
    ]);
    const over = rows.filter(({ classTitle }) => classTitle === 'window over, no lookup');
    expect(over[0]).toMatchObject({ demanded: 'A0→H1', reached: ['A0→H1'], status: 'as-demanded' });
    expect(over[1]?.status).toBe('missing');
  });
  it('keeps trials in which recovery was killed too in rows of their own', () => {
    const again = sampleRecord({
      id: 'reference/stripe.keyed/during_call:now+owned+before-resend/none/none/same-again/1',
    });
    const rows = reachedRows(sampleResults([again]));
    expect(rows).toHaveLength(8);
    expect(rows.find(({ kill }) => kill === 'during_call:now')?.status).toBe('missing');
    expect(rows.find(({ trials }) => trials > 0)).toMatchObject({
      kill: 'during_call:now+owned+before-resend',
      gloss:
        'the request took effect, its answer never came back; killed again when recovery had taken the intent over; killed again when the next attempt was durable, nothing had been sent',
    });
  });
  it('holds a gate to the table though no finding was expected of it, when it lacks nothing', () => {
    const naive = sampleCondemned({ verdict: 'holds', findings: [], expectedFindings: [] });
    expect(reachedRows(sampleResults([naive]))).toEqual([]);
  });
  it('tells an unknown that waits for a person from one that waits for nobody', () => {
    expect(formatReached(observed('unknown', 1))).toBe('U1');
    const outcome = { outcome: 'unknown', state: null, attempts: 1 } as const;
    expect(
      formatReached({ effects: 1, byOthers: 0, outcome: { ...outcome, disposition: 'settled' } }),
    ).toBe('U!1');
    expect(
      formatReached({ effects: 1, byOthers: 0, outcome: { ...outcome, disposition: 'working' } }),
    ).toBe('W1');
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

import { describe, expect, it } from 'vitest';
import { comparisonSchema } from '../model/comparison.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import {
  observed,
  sampleCondemned,
  sampleExcluded,
  sampleGates,
  sampleNotRun,
  sampleRecord,
  sampleResults,
} from '../results/testing/sample.ts';
import { compareGates } from './comparison.ts';
import { formatComparedCell } from './comparison-cell.ts';
import { formatComparison, renderComparison, renderTallies } from './comparison-markdown.ts';

const at = (gate: string, kill: string, trial = 1) =>
  `${gate}/stripe.keyed/${kill}/none/none/same-again/${trial}`;
const later = 'after_call_before_commit';
const both = [sampleRecord(), sampleCondemned()];

function compare(records: readonly TrialRecord[], changes: Partial<Results> = {}) {
  const comparison = compareGates(sampleResults(records, changes), 'results/sample');
  if (comparison === undefined) throw new Error('expected something to compare');
  return comparison;
}

/** What stands in the naive gate's cell beside the record of the reference gate. */
function naiveCell(naive: Partial<TrialRecord>, reference: Partial<TrialRecord> = {}) {
  const { rows } = compare([sampleRecord(reference), sampleCondemned(naive)]);
  const cell = rows[0]?.cells[1];
  if (cell === undefined) throw new Error('expected a cell of the naive gate');
  return { standing: cell.standing, text: formatComparedCell(cell) };
}

const sound: Partial<TrialRecord> = {
  verdict: 'holds',
  findings: [],
  expectedFindings: [],
  o2: observed('happened', 1),
};

describe('one cell', () => {
  it('says outcome, effects, what was broken and how long recovery took', () => {
    expect(naiveCell({})).toEqual({
      standing: 'breaks-a-promise',
      text: 'happened · 2 · **two-effects** · 20 ms',
    });
  });
  it('ties only where both hold, said the same and the journal shows the same', () => {
    expect(naiveCell(sound)).toEqual({ standing: 'ties', text: '= happened · 1 · holds · 20 ms' });
    const surfaced = { o2: observed('unknown', 1) };
    expect(naiveCell({ ...sound, ...surfaced })).toEqual({
      standing: 'holds-otherwise',
      text: 'surfaced · 1 · holds · 20 ms',
    });
    expect(naiveCell({ ...sound, ...surfaced }, surfaced).standing).toBe('ties');
    const broken: Partial<TrialRecord> = {
      verdict: 'violated',
      findings: [{ finding: 'guessed', message: '' }],
    };
    expect(naiveCell(sound, broken).standing).toBe('holds-otherwise');
  });
  it('shows what other people made', () => {
    const o2 = observed('refused', 0);
    expect(naiveCell({ ...sound, o2: o2 && { ...o2, byOthers: 1 } }).text).toBe(
      'refused · 0 +1 by hand · holds · 20 ms',
    );
  });
  it('says aloud what nobody expected', () => {
    expect(naiveCell({ meetsExpectation: false }).text).toContain(
      '**two-effects** (NOT AS EXPECTED)',
    );
  });
  it('compares nothing where a trial proved nothing or did not run', () => {
    const missed: Partial<TrialRecord> = {
      verdict: 'inconclusive',
      findings: [{ finding: 'kill-missed', message: '' }],
    };
    expect(naiveCell(missed)).toEqual({
      standing: 'not-compared',
      text: 'proved nothing: kill-missed',
    });
    expect(naiveCell({}, sampleNotRun()).standing).toBe('not-compared');
  });
  it('says of an unknown that waits for nobody that it is one, and of silence that it is that', () => {
    const outcome = { outcome: 'unknown', state: null, attempts: 1 } as const;
    const said = (disposition: 'working' | 'settled') =>
      naiveCell({
        ...sound,
        o2: { effects: 1, byOthers: 0, outcome: { ...outcome, disposition } },
      }).text;
    expect(said('working')).toMatch(/^working · 1/);
    expect(said('settled')).toMatch(/^unknown · 1/);
    expect(naiveCell({ ...sound, o2: { effects: 1, byOthers: 0, outcome: null } }).text).toMatch(
      /^silent · 1/,
    );
  });
  it('gives the median of several trials, and each ending with how often it came', () => {
    const again = (trial: number, changes: Partial<TrialRecord>) =>
      sampleCondemned({ id: at('naive', 'during_call:now', trial), ...changes });
    const { rows } = compare([
      sampleRecord(),
      again(1, { recoveryMs: 10 }),
      again(2, { recoveryMs: 31 }),
      again(3, { ...sound, recoveryMs: 500 }),
    ]);
    const cell = rows[0]?.cells[1];
    expect(cell?.recoveryMs).toBe(31);
    expect(cell && formatComparedCell(cell)).toBe(
      '2 × happened · 2 · **two-effects**; 1 × happened · 1 · holds · 31 ms',
    );
  });
});

describe('the comparison', () => {
  it('has a row for every crash that two gates met, in the order of an effect’s life', () => {
    const comparison = compare([
      sampleRecord({ id: at('reference', later) }),
      sampleRecord({ id: at('naive', later) }),
      sampleRecord({ id: at('reference', 'before_wal') }),
      ...both,
    ]);
    expect(comparison.rows.map(({ kill }) => kill)).toEqual(['during_call:now', later]);
    expect(comparison.rowsLeftOut).toBe(1);
    expect(renderComparison(comparison)).toContain('1 crash that only one gate met');
  });
  it('counts ties over its own rows', () => {
    const comparison = compare([
      ...both,
      sampleRecord({ id: at('reference', later) }),
      sampleRecord({ id: at('naive', later) }),
    ]);
    const tally = { gate: 'naive', target: 'stripe.keyed', rows: 2, ties: 1 };
    expect(comparison.tallies).toEqual([{ ...tally, holdsOtherwise: 0, breaksAPromise: 1 }]);
    expect(renderComparison(comparison)).toContain(
      '`naive` ties `reference` in 1 of 2 rows of stripe.keyed, breaks a promise in 1',
    );
    expect(renderTallies(comparison, 120)).toMatch(/naive +│ stripe\.keyed │ 2 +│ 1 +│ 0 +│ 1 /);
  });
  it('is nothing where gates met no crash together, or none of them lacks no rule', () => {
    const compared = (records: readonly TrialRecord[], changes: Partial<Results> = {}) =>
      compareGates(sampleResults(records, changes), '');
    expect(compared([sampleRecord(), sampleExcluded()])).toBeUndefined();
    expect(compared([sampleRecord(), sampleRecord({ id: at('naive', later) })])).toBeUndefined();
    expect(compared(both, { gates: sampleGates.slice(1) })).toBeUndefined();
  });
  it('keeps every trial’s id, seed and hash, and survives being written', () => {
    const comparison = compare([...both, sampleExcluded()]);
    expect(comparison.rows[0]?.cells.flatMap(({ trials }) => trials)).toMatchObject([
      { id: at('reference', 'during_call:now'), historySha256: 'aa' },
      { id: at('naive', 'during_call:now'), historySha256: 'aa' },
    ]);
    expect(comparisonSchema.parse(JSON.parse(formatComparison(comparison)))).toEqual(comparison);
  });
});

describe('its page', () => {
  const page = renderComparison(compare([...both, sampleExcluded()]));

  it('says who made it, how to make it again and how to judge it', () => {
    expect(page).toContain('npx killpoint run sample --seed 9');
    expect(page).toContain('npx killpoint compare results/sample');
    expect(page).toContain('npx killpoint judge results/sample\n');
    const ofFile = compareGates(sampleResults(both), 'results/sample/chaos.json');
    expect(ofFile && renderComparison(ofFile)).toContain('npx killpoint judge results/sample\n');
  });
  it('shows the kill and the world event with their words', () => {
    expect(page).toContain(
      '### `during_call:now`: the request took effect, its answer never came back',
    );
    expect(page).toContain(
      '| `none` nothing changes | happened · 1 · holds · 20 ms | happened · 2 · **two-effects** · 20 ms |',
    );
  });
  it('shows which gate lacks which rule, and what its lack cost, with a command', () => {
    expect(page).toMatch(/\| `stable-key` \| every attempt .* \| lacks it \|/);
    expect(page).toContain('0 of 1 trial hold.');
    expect(page).toContain(
      `| 1 | \`npx killpoint run ${at('naive', 'during_call:now')} --seed 9\``,
    );
  });
  it('says why a cell has no trial', () => {
    expect(page).toContain('- reference: 1 × cannot-meet: the process dies');
  });
  it('says of a run that did not end, and of trials that were not as expected, that it is so', () => {
    expect(page).toContain('Every trial in it that ran met its expectation.');
    const unmet = compare([sampleRecord(), sampleCondemned({ meetsExpectation: false })], {
      finished: false,
    });
    expect(renderComparison(unmet)).toMatch(
      /did not come to its end\. 1 trial in it did not meet the expectation/,
    );
  });
  it('names a fault and a caller where they are not the plain ones', () => {
    const cell = 'stripe.keyed/during_call:now/request-lost@resend/none/storm/1';
    const other = renderComparison(
      compare([sampleRecord({ id: `reference/${cell}` }), sampleRecord({ id: `naive/${cell}` })]),
    );
    expect(other).toContain('nothing changes; `request-lost@resend`; the caller: `storm` |');
  });
});

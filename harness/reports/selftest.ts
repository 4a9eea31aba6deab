/** What a selftest showed, for people. Pure. */
import { ruleMeanings } from '../model/rules.ts';
import type { BrokenRow, Selftest } from '../model/selftest.ts';
import { markdownTable } from './markdown-table.ts';
import { counted, formatDuration } from './rerun.ts';
import { textTable } from './text-table.ts';

export function renderSelftest(selftest: Selftest): string {
  const { broken, specificity } = selftest;
  const parts = [
    '# What Killpoint sees',
    `Everything here was broken on purpose: a gate or a target with one rule removed, over the real code. Each declares the promise that must be seen to break, and the fewest cells that show it. Made again by \`${selftest.command}\`.`,
    summaryLines(selftest).join('  \n'),
    '## Gates with one rule removed',
    tableOf(broken.filter(({ kind }) => kind === 'gate')),
    '## Targets with one rule removed',
    tableOf(broken.filter(({ kind }) => kind === 'target')),
  ];
  if (specificity.falseFindings.length > 0) {
    parts.push(
      '## Found against what is sound',
      markdownTable(
        ['trial', 'seed', 'found'],
        specificity.falseFindings.map(({ id, seed, found }) => [
          id,
          String(seed),
          found.join(', '),
        ]),
      ),
    );
  }
  return `${parts.join('\n\n')}\n`;
}

export function renderSelftestTerminal(
  selftest: Selftest,
  { width }: { readonly width: number },
): string {
  const wrong = selftest.broken.filter(({ standing }) => standing !== 'condemned');
  const shown = wrong.length > 0 ? wrong : selftest.broken;
  const table = textTable({
    head: ['broken', 'must break', 'standing', 'shown by'],
    rows: shown.map((row) => [row.name, row.finding, row.standing, shownBy(row)]),
    flexible: 3,
    width,
  });
  const { falseFindings, inconclusive } = selftest.specificity;
  return `${[
    ...(shown.length === 0 ? [] : [table]),
    ...wrong.flatMap(({ trials }) => trials.map(differenceOf)),
    ...falseFindings.map(
      ({ id, found }) => `found against what is sound: ${id}: ${found.join(', ')}`,
    ),
    ...inconclusive.map((id) => `proved nothing: ${id}`),
    ...summaryLines(selftest),
  ].join('\n')}\n`;
}

function summaryLines(selftest: Selftest): readonly string[] {
  const { sensitivity, specificity, durationMs, finished } = selftest;
  return [
    `sensitivity: ${sensitivity.condemned} of ${sensitivity.of} broken parts condemned, each for what it declares (${percent(sensitivity.condemned, sensitivity.of)})`,
    `specificity: ${counted(specificity.falseFindings.length, 'false finding')} in ${counted(specificity.trials, 'trial')} of sound gates and targets`,
    `${finished ? 'Finished' : 'Interrupted'} after ${formatDuration(durationMs)}, seed ${selftest.seed}.`,
  ];
}

function percent(part: number, whole: number): string {
  return whole === 0 ? 'nothing was tried' : `${Math.floor((100 * part) / whole)} %`;
}

function tableOf(rows: readonly BrokenRow[]): string {
  if (rows.length === 0) return 'None was tried.';
  return markdownTable(
    [
      'broken',
      'what it does',
      'the rule it lacks',
      'must break',
      'standing',
      'first shown by',
      'cells tried',
    ],
    rows.map((row) => [
      row.name,
      row.about,
      row.lacks === null ? '–' : `${row.lacks}: ${ruleMeanings[row.lacks]}`,
      row.finding,
      row.standing,
      shownBy(row),
      String(row.cellsTried),
    ]),
  );
}

function shownBy({ shownBy }: BrokenRow): string {
  return shownBy ?? 'no cell';
}

function differenceOf({ id, verdict, declared, found }: BrokenRow['trials'][number]): string {
  return `  ${id}: ${verdict}; declared ${declared.join(', ') || 'nothing'}, found ${found.join(', ') || 'nothing'}`;
}

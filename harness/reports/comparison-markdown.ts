/** `comparison.md`, made from the comparison alone, and what a terminal is told of it. Pure. */
import type { ComparedRow, ComparedTally, ComparedTrial, Comparison } from '../model/comparison.ts';
import { findingMeanings } from '../model/findings.ts';
import { ruleMeanings, ruleNames } from '../model/rules.ts';
import { cellNotation, formatComparedCell } from './comparison-cell.ts';
import { escapeText, markdownTable } from './markdown-table.ts';
import { counted } from './rerun.ts';
import { tally } from './tabulate.ts';
import { textTable } from './text-table.ts';

export function renderComparison(comparison: Comparison): string {
  const sections = [
    '# Killpoint: the same crashes, gate beside gate',
    opening(comparison),
    section('How to read a cell', cellNotation.map((line) => `- ${line}`).join('\n')),
    section('What each gate lacks', lacking(comparison)),
    ...targetsOf(comparison).map((target) => section(target, tablesOf(comparison, target))),
    section('Ties with the reference gate', ties(comparison)),
    section('What each missing rule cost', findings(comparison)),
    section('Left out', leftOut(comparison)),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

/** For a terminal: how often each gate ties; the rows would not fit. */
export function renderTallies({ tallies }: Comparison, width: number): string {
  return textTable({
    head: ['gate', 'target', 'rows', 'ties', 'holds otherwise', 'breaks a promise'],
    rows: tallies.map((tallied) => [
      tallied.gate,
      tallied.target,
      ...[tallied.rows, tallied.ties, tallied.holdsOtherwise, tallied.breaksAPromise].map(String),
    ]),
    flexible: 1,
    width,
  });
}

/** One row a line, so that a change of one row is a change of one line. */
export function formatComparison(comparison: Comparison): string {
  const { rows, ...rest } = comparison;
  const head = JSON.stringify(rest, null, 2).replace(/\n}$/, '');
  return `${head},\n  "rows": [\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]\n}\n`;
}

function section(title: string, body: string): string {
  return body === '' ? '' : `## ${title}\n\n${body}`;
}

function opening(comparison: Comparison): string {
  const { environment, reference } = comparison;
  const versions = Object.entries(environment.versions).map(([name, value]) => `${name} ${value}`);
  return [
    `Written by Killpoint ${comparison.tool.version} from \`${comparison.source}\`; do not edit. ${conclude(comparison)}`,
    '',
    `Every gate is asked once to perform one effect, and meets the same crash: its process is killed at the same point, the same changes while nobody runs, a new process recovers on the same ledger, and the caller asks again. A row is one such crash; the gate \`${reference}\` lacks no rule, and beside it stands what each missing rule costs.`,
    '',
    'Make it again, and judge every trial again from its history:',
    '',
    '```sh',
    comparison.command,
    `npx killpoint compare ${comparison.source}`,
    `npx killpoint judge ${folderOf(comparison.source)}`,
    '```',
    '',
    `Seed ${comparison.seed}, begun ${comparison.startedAt}, ${comparison.workers} at a time on ${environment.cpus} cores (${environment.platform}, Node ${environment.node}, ${versions.join(', ')}). Recovery times are of this machine; each row’s trials, seeds and hashes of histories stand in the JSON beside this page.`,
  ].join('\n');
}

/** In words; the findings of gates that lack rules are derived before they run, and what differs is news. */
export function conclude({ rows, finished }: Comparison): string {
  const trials = rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.trials));
  const unmet = trials.filter(({ meetsExpectation }) => meetsExpectation === false).length;
  return [
    ...(finished ? [] : ['That run did not come to its end.']),
    unmet === 0
      ? 'Every trial in it that ran met its expectation.'
      : `${counted(unmet, 'trial')} in it did not meet the expectation.`,
  ].join(' ');
}

/** Histories stand below the folder of their results. */
function folderOf(source: string): string {
  return source.endsWith('.json') ? source.replace(/\/?[^/]*$/, '') || '.' : source;
}

/** A gate that lacks nothing needs no column. */
function lacking({ gates }: Comparison): string {
  const columns = gates.filter(({ lacks }) => lacks.length > 0);
  const rules = ruleNames.filter((rule) => columns.some(({ lacks }) => lacks.includes(rule)));
  return rules.length === 0
    ? ''
    : markdownTable(
        ['rule', 'which says', ...columns.map(({ name }) => name)],
        rules.map((rule) => [
          `\`${rule}\``,
          ruleMeanings[rule],
          ...columns.map(({ lacks }) => (lacks.includes(rule) ? 'lacks it' : '')),
        ]),
      );
}

function targetsOf({ rows }: Comparison): readonly string[] {
  return [...new Set(rows.map(({ target }) => target))];
}

/** One table for each kill, so that a line holds no more than what differs. */
function tablesOf({ rows, gates }: Comparison, target: string): string {
  const own = rows.filter((row) => row.target === target);
  const shown = gates.map(({ name }) => name).filter((name) => own.some((row) => ran(row, name)));
  const kills = new Map(own.map(({ kill, killGloss }) => [kill, killGloss] as const));
  return [...kills]
    .flatMap(([kill, gloss]) => [
      `### \`${kill}\`: ${gloss}`,
      markdownTable(
        ['while nobody ran', ...shown],
        own
          .filter((row) => row.kill === kill)
          .map((row) => [
            circumstances(row),
            ...row.cells.filter(({ gate }) => shown.includes(gate)).map(formatComparedCell),
          ]),
      ),
    ])
    .join('\n\n');
}

function ran({ cells }: ComparedRow, name: string): boolean {
  return cells.some(({ gate, trials }) => gate === name && trials.length > 0);
}

/** The world event, and whatever else is not as plain as it can be. */
function circumstances({ world, worldMeaning, fault, caller }: ComparedRow): string {
  return [
    `\`${world}\` ${worldMeaning}`,
    ...(fault === 'none' ? [] : [`\`${fault}\``]),
    ...(caller === 'same-again' ? [] : [`the caller: \`${caller}\``]),
  ].join('; ');
}

function ties({ tallies, reference }: Comparison): string {
  return tallies.map((tallied) => `- ${tieSentence(tallied, reference)}`).join('\n');
}

function tieSentence(tallied: ComparedTally, reference: string): string {
  const { gate, target, rows, ties: tied, holdsOtherwise, breaksAPromise } = tallied;
  const others = [
    ...(breaksAPromise === 0 ? [] : [`breaks a promise in ${breaksAPromise}`]),
    ...(holdsOtherwise === 0 ? [] : [`holds and ends at something else in ${holdsOtherwise}`]),
  ];
  return [
    `\`${gate}\` ties \`${reference}\` in ${tied} of ${rows} rows of ${target}`,
    ...others,
  ].join(', ');
}

function findings(comparison: Comparison): string {
  return comparison.gates
    .flatMap(({ name }) => {
      const trials = comparison.rows.flatMap(({ cells }) =>
        cells.filter(({ gate }) => gate === name).flatMap((cell) => cell.trials),
      );
      return trials.length === 0 ? [] : [`### ${name}`, findingsOf(trials, comparison.seed)];
    })
    .join('\n\n');
}

function findingsOf(trials: readonly ComparedTrial[], seed: number): string {
  const rows = tally(trials.flatMap((trial) => trial.findings)).map(([finding, count]) => {
    const example = trials.find((trial) => trial.findings.some((name) => name === finding));
    return [
      finding,
      findingMeanings[finding as keyof typeof findingMeanings],
      String(count),
      `\`npx killpoint run ${example?.id} --seed ${seed}\``,
    ];
  });
  const holds = trials.filter(({ verdict }) => verdict === 'holds').length;
  const ended = `${holds} of ${counted(trials.length, 'trial')} hold.`;
  return rows.length === 0
    ? ended
    : [ended, '', markdownTable(['finding', 'means', 'trials', 'see one'], rows)].join('\n');
}

function leftOut({ leftOut: groups, rowsLeftOut }: Comparison): string {
  return [
    ...groups.map(({ gate, reason, count }) => `- ${gate}: ${count} × ${escapeText(reason)}`),
    ...(rowsLeftOut === 0
      ? []
      : [
          `- ${counted(rowsLeftOut, 'crash').replace(/crashs$/, 'crashes')} that only one gate met`,
        ]),
  ].join('\n');
}

/** `chaos.md`: a run's results for people, made anew from the results whenever they are written. */
import { formatFault, formatKill } from '../model/cell.ts';
import { findingMeanings } from '../model/findings.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { exitCodeOf } from '../results/exit-code.ts';
import { cellOf } from '../results/read-cell.ts';
import { namesFound } from '../results/record.ts';
import { escapeText, markdownTable } from './markdown-table.ts';
import { renderOutcomes } from './outcome-table.ts';
import { describePart } from './plan-part.ts';
import { notation } from './reached.ts';
import { type ReachedRow, reachedCells, reachedHead, reachedRows } from './reached-table.ts';
import { formatDuration, rerunCommand } from './rerun.ts';
import { findSameCrash, renderSameCrash } from './side-by-side.ts';
import { renderStory, type StoryInput } from './story.ts';
import {
  isCondemnedAsExpected,
  standingText,
  tabulate,
  tabulateTargets,
  tally,
  worstFirst,
} from './tabulate.ts';
import { groupedReasons } from './terminal.ts';
import { countElsewhere, explain, needLooking } from './unmet.ts';
import { renderWirePoints } from './wire-points.ts';

/** With a story where the matrix tells one and its journals have been read. */
export function renderMarkdown(results: Results, story?: StoryInput): string {
  const sections = [
    `# Killpoint: ${results.matrix}`,
    opening(results),
    section('The story', story === undefined ? '' : renderStory(results, story)),
    section('Counts', counts(results)),
    section('Gates and targets', targets(results)),
    section('What this run did not see', list(results.blindSpots)),
    section('To look at', looking(results)),
    section('One crash, two gates', sameCrash(results)),
    section('Demanded and reached', demanded(results)),
    section('Every kill point', outcomes(results)),
    section('Kills placed by the wire', renderWirePoints(results)),
    section('Findings', findings(results)),
    section('Excluded', list(groupedReasons(results.trials, 'excluded'))),
    section('Not run', list(groupedReasons(results.trials, 'not-run'))),
    section('What SIGKILL cannot show', whatSigkillCannotShow),
    section('Condemned as expected, trial by trial', condemned(results)),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

const whatSigkillCannotShow = [
  'SIGKILL ends a process and leaves the operating system alone. What the process had written and not synced stays in the page cache and reaches the disk, so a gate that never calls fsync looks the same here as one that does. Only a power cut, real or simulated, can tell them apart.',
  'A stand-in service behaves as its vendor documents; where the vendor’s service differs from its documentation, these tables say nothing about it.',
].join('\n\n');

function section(title: string, body: string): string {
  return body === '' ? '' : `## ${title}\n\n${body}`;
}

function opening(results: Results): string {
  const { environment } = results;
  const versions = Object.entries(environment.versions).map(([name, value]) => `${name} ${value}`);
  return [
    `Written by Killpoint ${results.tool.version}; do not edit. ${conclusion(results)}`,
    '',
    ...describePart(results).flatMap((line) => [`${line[0]?.toUpperCase()}${line.slice(1)}.`, '']),
    'Make it again, and judge the stored histories again:',
    '',
    '```sh',
    results.command,
    'npx killpoint judge FOLDER   # the folder this file is in',
    '```',
    '',
    `Seed ${results.seed}, begun ${results.startedAt}, took ${formatDuration(results.durationMs)} with ${results.workers} at a time on ${environment.cpus} cores (${environment.platform}, Node ${environment.node}, ${versions.join(', ')}).`,
  ].join('\n');
}

function conclusion(results: Results): string {
  if (!results.finished) return '**This run did not come to its end.**';
  const code = exitCodeOf(results);
  switch (code) {
    case 0:
      return 'Every trial met its expectation.';
    case 1:
      return '**Some trials did not meet their expectation.**';
    case 2:
      return '**Something was inconclusive, not run or not seen.**';
    default:
      return code satisfies never;
  }
}

function counts({ counts: all }: Results): string {
  return markdownTable(
    ['planned', 'holds', 'violated', 'inconclusive', 'not run', 'excluded'],
    [
      [all.planned, all.holds, all.violated, all.inconclusive, all.notRun, all.excluded].map(
        String,
      ),
    ],
  );
}

function targets(results: Results): string {
  const rows = worstFirst(tabulateTargets(tabulate(results)));
  if (rows.length === 0) return '';
  return markdownTable(
    [
      'gate',
      'target',
      'kill points',
      'trials',
      'holds',
      'violated',
      'inconclusive',
      'not run',
      'standing',
    ],
    rows.map((row) => [
      row.gate,
      row.target,
      ...[row.kills, row.trials, row.holds, row.violated, row.inconclusive, row.notRun].map(String),
      standingText(row),
    ]),
  );
}

function looking(results: Results): string {
  return needLooking(results.trials)
    .map((record) =>
      [
        `- ${record.verdict}: \`${rerunCommand(record, results)}\``,
        ...explain(record).map((line) => `  - ${escapeText(line)}`),
      ].join('\n'),
    )
    .join('\n');
}

function sameCrash(results: Results): string {
  const pair = findSameCrash(results);
  return pair === undefined ? '' : renderSameCrash(pair, results);
}

function demanded(results: Results): string {
  // What a shard did not plan, another one did.
  const isPlanned = ({ demanded: planned }: ReachedRow) =>
    results.plan.shard === null || planned !== null;
  const rows = reachedRows(results).filter(isPlanned);
  if (rows.length === 0) return '';
  return [
    `No fault, the caller asks the same again. ${notation}`,
    '',
    markdownTable(reachedHead, rows.map(reachedCells)),
  ].join('\n');
}

function outcomes(results: Results): string {
  const table = renderOutcomes(results);
  return table === ''
    ? ''
    : [
        'For each target a table. In every field first what a gate that must hold has to end at without a fault, the caller asking the same again. Then every fault and caller together: how many trials of how many hold, what the others were found guilty of, and how many ended as their own cell demands; only other endings are named, and `chaos.json` has every one.',
        countElsewhere(results.trials),
        table,
      ]
        .filter((text) => text !== '')
        .join('\n\n');
}

function findings(results: Results): string {
  const gates = [...new Set(results.trials.map((record) => cellOf(record).gate))];
  const rows = tally(results.trials.flatMap(namesFound)).map(([finding]) => [
    finding,
    findingMeanings[finding as keyof typeof findingMeanings],
    ...gates.map((gate) => String(countFindings(results.trials, gate, finding))),
  ]);
  return rows.length === 0 ? '' : markdownTable(['finding', 'means', ...gates], rows);
}

function countFindings(records: readonly TrialRecord[], gate: string, name: string): number {
  return records.filter(
    (record) =>
      cellOf(record).gate === gate && record.findings.some(({ finding }) => finding === name),
  ).length;
}

function condemned(results: Results): string {
  const rows = results.trials.filter(isCondemnedAsExpected).map((record) => {
    const cell = cellOf(record);
    return [
      namesFound(record).join(', '),
      `${formatKill(cell)}, ${formatFault(cell.fault)}`,
      `\`${rerunCommand(record, results)}\``,
    ];
  });
  if (rows.length === 0) return '';
  return [
    'What must be found against a gate that lacks rules is derived from the rules, before it runs. These were found, no more and no less:',
    '',
    markdownTable(['found', 'killed at, fault', 'see it'], rows),
  ].join('\n');
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${escapeText(item)}`).join('\n');
}

/**
 * What a run says at its end: the table with the worst first, what has to be looked at with one
 * command each, what the run did not see, and the counts last, where the eye ends up. Pure.
 */
import { styleText } from 'node:util';
import { type FindingName, findingMeanings } from '../model/findings.ts';
import type { Counts, Results, TrialRecord } from '../model/results.ts';
import { exitCodeOf } from '../results/exit-code.ts';
import { cellOf } from '../results/read-cell.ts';
import { brokenPromises } from '../results/record.ts';
import { describePart } from './plan-part.ts';
import { renderRepeats } from './repeats.ts';
import { counted, formatDuration, rerunCommand } from './rerun.ts';
import { renderSummary } from './summary-table.ts';
import { isCondemnedAsExpected, isUnmet, tally } from './tabulate.ts';
import { countElsewhere, explain, needLooking } from './unmet.ts';

export interface TerminalOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly colour: boolean;
}

/** Beyond this many only the commands are shown; the tables on disk have the rest. */
const explainedAtMost = 20;

export function renderTerminal(results: Results, options: TerminalOptions): string {
  const sections = [
    renderSummary(results, options.width),
    renderLooking(results),
    renderCondemned(results),
    renderList('Excluded:', groupedReasons(results.trials, 'excluded')),
    renderList('Not run:', groupedReasons(results.trials, 'not-run')),
    renderList('What this run did not see:', results.blindSpots),
    renderEnd(results, options),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** `368 planned = 246 holds + 122 violated + …`; every part stands by itself. */
export function formatCounts(counts: Counts): string {
  const { planned, holds, violated, inconclusive, notRun, excluded } = counts;
  return `${planned} planned = ${holds} holds + ${violated} violated + ${inconclusive} inconclusive + ${notRun} not run + ${excluded} excluded`;
}

/** Reasons with how many records give them, most frequent first. */
export function groupedReasons(
  records: readonly TrialRecord[],
  verdict: 'excluded' | 'not-run',
): readonly string[] {
  const reasons = records
    .filter((record) => record.verdict === verdict)
    .map((record) => record.reason ?? 'no reason was given');
  return tally(reasons).map(([reason, count]) => `${count} × ${reason}`);
}

function renderLooking(results: Results): string {
  const records = needLooking(results.trials);
  if (records.length === 0) return '';
  const lines = records.flatMap((record, index) => {
    const command = `  ${rerunCommand(record, results)}`;
    if (index >= explainedAtMost) return [command];
    const why = explain(record).map((line) => `  ${line}`);
    return [`${record.verdict}  ${record.id}`, ...why, command];
  });
  return [`${counted(records.length, 'trial')} to look at, each with its command:`, ...lines].join(
    '\n',
  );
}

/** Gates that lack rules, found guilty as they must be: said in one line each, so that it alarms nobody. */
function renderCondemned(results: Results): string {
  const condemned = results.trials.filter(isCondemnedAsExpected);
  const gates = new Set(condemned.map((record) => cellOf(record).gate));
  const lines = [...gates].flatMap((gate) => {
    const records = condemned.filter((record) => cellOf(record).gate === gate);
    const findings = tally(records.flatMap(brokenPromises));
    const [example] = records;
    return [
      `  ${gate}: ${counted(records.length, 'trial')} violated, all as derived from the rules it lacks`,
      ...findings.map(
        ([finding, count]) =>
          `    ${count} × ${finding}: ${findingMeanings[finding as FindingName]}`,
      ),
      ...(example === undefined ? [] : [`    see one: ${rerunCommand(example, results)}`]),
    ];
  });
  return lines.length === 0
    ? ''
    : ['Condemned as expected (the other commands are in chaos.md):', ...lines].join('\n');
}

function renderList(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [title, ...items.map((item) => `  ${item}`)].join('\n');
}

function renderEnd(results: Results, options: TerminalOptions): string {
  const ran = results.counts.holds + results.counts.violated + results.counts.inconclusive;
  return [
    ...renderElsewhere(results),
    ...renderCourse(results, ran),
    ...describePart(results),
    `${results.matrix}, seed ${results.seed}: ${counted(ran, 'trial')} in ${formatDuration(results.durationMs)}, ${results.workers} at a time`,
    formatCounts(results.counts),
    conclusion(results, options),
  ].join('\n');
}

/** Worth a look and no finding: the promises leave a gate room that the demanded table does not. */
function renderElsewhere(results: Results): readonly string[] {
  const line = countElsewhere(results.trials);
  return line === '' ? [] : [line];
}

/** Before that the harness is still loading what it needs, and a tenth of the run says nothing. */
const fewestForMemory = 50;

/** What a soak is run for: whether cells take the same course again, and whether memory stays flat. */
function renderCourse(results: Results, ran: number): readonly string[] {
  const repeats = renderRepeats(results);
  const { memory } = results;
  return [
    ...(repeats === '' ? [] : [repeats]),
    ...(memory === null || ran < fewestForMemory
      ? []
      : [
          `memory of the harness: ${memory.afterTenthMiB} MiB after a tenth of the trials, ${memory.atEndMiB} MiB at the end`,
        ]),
  ];
}

function conclusion(results: Results, options: TerminalOptions): string {
  const paint = (style: 'green' | 'red' | 'yellow', text: string) =>
    options.colour ? styleText(style, text) : text;
  const code = exitCodeOf(results);
  switch (code) {
    case 0:
      return paint('green', 'Every trial meets its expectation.');
    case 1: {
      const unmet = results.trials.filter(isUnmet).length;
      return paint('red', `${counted(unmet, 'trial')} did not meet the expectation.`);
    }
    case 2:
      return paint('yellow', 'Not shown: something was inconclusive, not run or not seen.');
    default:
      return code satisfies never;
  }
}

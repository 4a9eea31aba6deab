/**
 * A matrix whose slices tell chapters, as a story: for every chapter one sentence of what happened, and
 * for every gate one line of what the customer got, what the gate said of it, and the verdict. In: a
 * run's results, its slices, and what the journals held at the end. Out: markdown. Pure.
 */
import type { JsonObject } from '../../adapters/target.ts';
import { type Cell, formatFault, formatKill } from '../model/cell.ts';
import { findingMeanings } from '../model/findings.ts';
import { compareKills, glossKill, type Killed } from '../model/kill-gloss.ts';
import type { Chapter, MatrixSlice } from '../model/matrix.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { cellOf } from '../results/read-cell.ts';
import { namesFound } from '../results/record.ts';
import { escapeText, markdownTable } from './markdown-table.ts';
import { sumInWords } from './money.ts';
import { tally } from './tabulate.ts';

/** What took effect in one trial by its end, by whom; without the harness's own effect. */
export interface JournalAtEnd {
  readonly own: readonly JsonObject[];
  readonly byOthers: readonly JsonObject[];
}

export interface StoryInput {
  readonly title: string;
  readonly slices: readonly MatrixSlice[];
  /** By the trial's id; none where the journal was not read. */
  readonly journals: ReadonlyMap<string, JournalAtEnd>;
}

type ToldSlice = MatrixSlice & { readonly chapter: Chapter };

/** Whether the matrix tells anything. */
export function tellsStory(slices: readonly MatrixSlice[]): boolean {
  return slices.some(isTold);
}

/** Empty where no slice tells a chapter. */
export function renderStory(results: Pick<Results, 'trials' | 'gates'>, story: StoryInput): string {
  const chapters = story.slices.filter(isTold).map((slice) => renderChapter(results, slice, story));
  return chapters.length === 0 ? '' : [`${story.title}.`, notation, ...chapters].join('\n\n');
}

const notation =
  'In every field first what the customer got by the end: what the gate brought about, and what other people did by hand. Then what the gate says at the end of the decision it was given first. The harness makes one effect of its own in every trial, to see that the journal shows it; it is not counted here.';

function isTold(slice: MatrixSlice): slice is ToldSlice {
  return slice.chapter !== undefined;
}

function renderChapter(
  { trials, gates }: Pick<Results, 'trials' | 'gates'>,
  slice: ToldSlice,
  { journals }: StoryInput,
): string {
  const own = trials
    .map((record) => ({ record, cell: cellOf(record) }))
    .filter(({ cell }) => isIn(slice, cell));
  const kills = new Map<string, Killed>(own.map(({ cell }) => [formatKill(cell), cell]));
  const columns = [...kills.values()].sort(compareKills);
  const rows = gates
    .map(({ name }) => ({ name, told: own.filter(({ cell }) => cell.gate === name) }))
    .filter(({ told }) => told.length > 0)
    .map(({ name, told }) => [
      name,
      ...columns.map((killed) =>
        tellAll(
          told.filter(({ cell }) => formatKill(cell) === formatKill(killed)),
          journals,
        ),
      ),
      verdictInWords(told.map(({ record }) => record)),
    ]);
  const { title, tells } = slice.chapter;
  return [
    `### ${title}`,
    tells,
    markdownTable(
      ['gate', ...columns.map((killed) => `killed: ${glossKill(killed)}`), 'verdict'],
      rows,
    ),
  ].join('\n\n');
}

/** Every cell of a plan comes from exactly one slice. */
function isIn(slice: MatrixSlice, cell: Cell): boolean {
  return (
    slice.gates.includes(cell.gate) &&
    slice.targets.includes(cell.target) &&
    isAmong(slice.kills, formatKill(cell)) &&
    isAmong(slice.faults, formatFault(cell.fault)) &&
    isAmong(slice.worlds, cell.world) &&
    isAmong(slice.callers, cell.caller)
  );
}

function isAmong(named: 'all' | readonly string[], name: string): boolean {
  return named === 'all' || named.includes(name);
}

/** Different endings of several trials one after the other. */
function tellAll(
  told: readonly { readonly record: TrialRecord }[],
  journals: StoryInput['journals'],
): string {
  const endings = tally(told.map(({ record }) => tell(record, journals.get(record.id))));
  return (
    endings
      .map(([ending, count]) => (count === told.length ? ending : `${count} × ${ending}`))
      .join('; ') || '–'
  );
}

function tell(record: TrialRecord, journal: JournalAtEnd | undefined): string {
  if (record.verdict === 'excluded') return '–';
  if (record.verdict === 'not-run') return 'not run';
  return `${journal === undefined ? 'journal not read' : got(journal)}; ${saying(record)}`;
}

function got({ own, byOthers }: JournalAtEnd): string {
  if (byOthers.length === 0) return sumInWords(own);
  if (own.length === 0) return `${sumInWords(byOthers)}, by hand`;
  return `${sumInWords([...own, ...byOthers])}: ${sumInWords(own)} by the gate, ${sumInWords(byOthers)} by hand`;
}

function saying({ o2 }: TrialRecord): string {
  const outcome = o2?.outcome ?? null;
  if (outcome === null) return 'says nothing';
  if (outcome.disposition === 'surfaced') return 'can’t know, asks a person';
  if (outcome.disposition === 'working') return 'says it is still on it';
  switch (outcome.outcome) {
    case 'happened':
      return 'says it happened';
    case 'absent':
      return 'says it did not happen';
    case 'refused':
      return 'refuses';
    case 'unknown':
      return 'says it does not know';
    default:
      return outcome.outcome satisfies never;
  }
}

/** Of all crashes of one line together; how many it was is said where it was not all of them. */
function verdictInWords(records: readonly TrialRecord[]): string {
  const ran = records.filter(({ verdict }) => verdict !== 'excluded' && verdict !== 'not-run');
  if (ran.length === 0) return escapeText(records[0]?.reason ?? 'no trial');
  const found = tally(ran.flatMap(namesFound)).map(([name, count]) => {
    const times = count === ran.length ? '' : ` (${count} of ${ran.length})`;
    return `**${name}**${times}: ${findingMeanings[name as keyof typeof findingMeanings]}`;
  });
  return found.length === 0 ? 'holds' : found.join('; ');
}

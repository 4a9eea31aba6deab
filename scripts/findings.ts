/**
 * Shows that no promise is judged blindly: for every finding, the planted history that is condemned
 * for it (judged now) and a real subject that was condemned for it in a run's results, or why there
 * is none yet.
 *
 *   npm run findings [-- results.json]     the table; exit 1 when a planted history goes free
 *   npm run findings -- --write            renders docs/findings.md
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { notYet } from '../harness/checkers/index.ts';
import { judge } from '../harness/checkers/judge.ts';
import { type PlantedHistory, plantedHistories } from '../harness/checkers/planted.ts';
import { exitCodes, UsageError } from '../harness/model/errors.ts';
import {
  type FindingName,
  findingMeanings,
  findingNames,
  isMiss,
  type MissName,
  missNames,
} from '../harness/model/findings.ts';
import { type Results, resultsSchema } from '../harness/model/results.ts';

const defaultResultsPath = 'results/chaos.json';
const docPath = 'docs/findings.md';

type Name = FindingName | MissName;

export interface FindingRow {
  readonly name: Name;
  readonly meaning: string;
  /** Every planted history for it; `condemned` is what the judge says now. */
  readonly planted: readonly { readonly title: string; readonly condemned: boolean }[];
  /** Why it is not judged yet; null when it is. */
  readonly notYet: string | null;
}

export type Shown =
  | { readonly kind: 'condemned'; readonly gate: string; readonly trialId: string }
  | { readonly kind: 'not-yet'; readonly reason: string };

const noUnsoundGate = 'no shipped gate lacks the rule that rules it out';
const soundParts = 'shown only when the harness itself fails; every shipped part is sound';

/** Findings which no shipped subject is expected to show, and why. */
const notShown: Readonly<Partial<Record<Name, string>>> = {
  'unknown-after-recovery': 'every shipped gate answers and ends what it began',
  'needless-ambiguity': noUnsoundGate,
  guessed:
    'the shipped gates without a rule send again and are answered: they risk two, and guess nothing',
  'silent-loss': noUnsoundGate,
  phantom: noUnsoundGate,
  'wrong-entity': noUnsoundGate,
  'sent-before-recorded': 'every shipped gate records its attempts first',
  'hidden-retry': 'the shipped targets switch off the retries of their client libraries',
  'sent-uninvited': noUnsoundGate,
  'settled-changed': noUnsoundGate,
  'receipt-false': 'the shipped gates without a rule give no receipts',
  'kill-missed': soundParts,
  'fault-missed': soundParts,
  'control-missed': soundParts,
  'evidence-cut': soundParts,
};

/** One row per finding and miss, in the order of their table. */
export function judgePlanted(): readonly FindingRow[] {
  return [...findingNames, ...missNames].map((name) => ({
    name,
    meaning: findingMeanings[name],
    planted: plantedHistories
      .filter(({ finding }) => finding === name)
      .map((planted) => ({ title: planted.title, condemned: isCondemned(planted) })),
    notYet: notYet[name] ?? null,
  }));
}

/** The first subject a run condemned for it. A trial that proved nothing condemns only itself. */
export function findShown(name: Name, results: Results | null): Shown {
  const verdict = isMiss(name) ? 'inconclusive' : 'violated';
  const trial = results?.trials.find(
    (record) =>
      record.verdict === verdict && record.findings.some(({ finding }) => finding === name),
  );
  if (trial !== undefined) {
    return { kind: 'condemned', gate: trial.id.split('/')[0] ?? trial.id, trialId: trial.id };
  }
  const reason =
    notYet[name] ??
    notShown[name] ??
    (results === null ? 'no results were read' : `no trial of ${results.matrix} shows it`);
  return { kind: 'not-yet', reason };
}

/** `docs/findings.md`, without anything that depends on a run. */
export function renderDoc(rows: readonly FindingRow[]): string {
  const table = (names: readonly Name[]) =>
    rows
      .filter(({ name }) => names.includes(name))
      .map((row) => `| \`${row.name}\` | ${cell(row.meaning)} | ${cell(describePlanted(row))} |`);
  return [
    '# Findings',
    '',
    'Every promise a gate must keep, what it means to break it, and the planted histories that are condemned for it: a sound history changed in as little as breaks the promise. Rendered by `npm run findings -- --write` from `harness/model/findings.ts` and `harness/checkers/planted.ts`; a test compares this page with them. `npm run findings` judges the planted histories anew and names the real subject each finding was shown against.',
    '',
    '## Broken promises',
    '',
    'Any of these makes a trial `violated`.',
    '',
    '| finding | broken when | planted histories |',
    '|---|---|---|',
    ...table(findingNames),
    '',
    '## Trials that prove nothing',
    '',
    'Any of these makes a trial `inconclusive`, whatever else was found in it.',
    '',
    '| finding | said when | planted histories |',
    '|---|---|---|',
    ...table(missNames),
    '',
  ].join('\n');
}

function describePlanted({ planted, notYet: reason }: FindingRow): string {
  return reason === null
    ? planted.map(({ title }) => title).join('<br>')
    : `*not judged yet*: ${reason}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function isCondemned({ finding, spec, history }: PlantedHistory): boolean {
  const { verdict, findings } = judge(spec, history, []);
  const expected = isMiss(finding) ? 'inconclusive' : 'violated';
  return verdict === expected && findings.some((found) => found.finding === finding);
}

function renderTable(rows: readonly FindingRow[], results: Results | null): string {
  const table = new Table({
    head: ['finding', 'planted histories condemned for it', 'real subject condemned for it'],
    style: { head: [], border: [] },
    colWidths: [26, 50, 70],
    wordWrap: true,
  });
  for (const row of rows) {
    const shown = findShown(row.name, results);
    table.push([row.name, plantedText(row), shownText(shown)]);
  }
  return table.toString();
}

function plantedText({ planted, notYet: reason }: FindingRow): string {
  if (reason !== null) return `not yet: ${reason}`;
  const free = planted.filter(({ condemned }) => !condemned);
  if (free.length > 0) return free.map(({ title }) => `NOT CONDEMNED: ${title}`).join('\n');
  const [first] = planted;
  return first === undefined
    ? 'NONE PLANTED'
    : `${planted.length} of ${planted.length}, e.g. ${first.title}`;
}

function shownText(shown: Shown): string {
  switch (shown.kind) {
    case 'condemned':
      return `${shown.gate}: ${shown.trialId}`;
    case 'not-yet':
      return `not yet: ${shown.reason}`;
    default:
      return shown satisfies never;
  }
}

/** Null when the default file is not there yet. Throws UsageError for one that can't be read. */
function readResults(named: string | undefined): Results | null {
  if (named === undefined && !existsSync(defaultResultsPath)) return null;
  const path = named ?? defaultResultsPath;
  try {
    return resultsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new UsageError(`expected the results of a run in ${path}, got: ${String(error)}`);
  }
}

function main(): number {
  const { values, positionals } = parseArgs({
    options: { write: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const rows = judgePlanted();
  if (values.write) {
    writeFileSync(docPath, renderDoc(rows));
    console.log(`wrote ${docPath}`);
  } else {
    console.log(renderTable(rows, readResults(positionals[0])));
  }
  const blind = rows.filter(
    ({ planted, notYet: reason }) =>
      reason === null && (planted.length === 0 || planted.some(({ condemned }) => !condemned)),
  );
  for (const { name } of blind) {
    console.error(`${name}: expected every planted history to be condemned for it, one went free`);
  }
  return blind.length === 0 ? exitCodes.met : exitCodes.unmet;
}

const script = process.argv[1];
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = main();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exitCode = exitCodes.usage;
  }
}

/**
 * Judges stored results again: every verdict, record and count is made anew from the histories, and
 * every difference is named. Nothing is run. Reading and comparing are kept apart, so that the
 * comparison can be shown differences that no disk holds.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { judge } from '../checkers/judge.ts';
import { expectedFindings } from '../model/lacking.ts';
import { parseHistory } from '../model/parse-history.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { findBlindSpots } from './blind-spots.ts';
import { countRecords } from './counts.ts';
import { historiesFolder, historyPath } from './history-path.ts';
import { recordTrial } from './record.ts';
import { readResults } from './store.ts';

export type DifferenceKind =
  | 'history-missing'
  | 'history-changed'
  | 'history-unreadable'
  | 'history-unlisted'
  | 'ran-after-all'
  | 'listed-twice'
  | 'record-differs'
  | 'counts-differ'
  | 'blind-spots-differ';

export interface Difference {
  readonly kind: DifferenceKind;
  /** The trial's id; null where the run as a whole is meant; a file's name for an unlisted history. */
  readonly about: string | null;
  /** What was stored, what came out. */
  readonly message: string;
}

/** What one history file amounts to when it is judged now. */
export type Rejudged =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: string; readonly historySha256: string }
  | { readonly kind: 'judged'; readonly record: TrialRecord; readonly complete: boolean };

export interface JudgedFolder {
  readonly results: Results;
  readonly differences: readonly Difference[];
  /** How many histories were read. */
  readonly histories: number;
}

/** Throws UsageError when the folder holds no results of a known format. */
export async function judgeFolder(folder: string): Promise<JudgedFolder> {
  const results = await readResults(folder);
  const listed = new Set(results.trials.map((record) => fileName(record.id)));
  const files = await historyFiles(folder);
  const perTrial: Difference[] = [];
  let histories = 0;
  for (const stored of results.trials) {
    if (stored.verdict === 'excluded') continue;
    const rejudged = files.has(fileName(stored.id))
      ? await rejudge(folder, stored)
      : ({ kind: 'missing' } as const);
    if (rejudged.kind !== 'missing') histories += 1;
    perTrial.push(...compareTrial(stored, rejudged));
  }
  const unlisted = [...files]
    .filter((file) => !listed.has(file))
    .map((file) => difference('history-unlisted', file, 'a history that no record lists'));
  return { results, histories, differences: [...compareRun(results), ...perTrial, ...unlisted] };
}

/** Pure: what a stored record and its judged history disagree about. */
export function compareTrial(stored: TrialRecord, rejudged: Rejudged): readonly Difference[] {
  if (stored.verdict === 'not-run') {
    const ran = rejudged.kind === 'judged' && rejudged.complete;
    return ran
      ? [difference('ran-after-all', stored.id, 'stored as not run, and its history is complete')]
      : [];
  }
  switch (rejudged.kind) {
    case 'missing':
      return [
        difference(
          'history-missing',
          stored.id,
          `stored as ${stored.verdict}, no history is there`,
        ),
      ];
    case 'unreadable':
      return [
        ...compareHash(stored, rejudged.historySha256),
        difference('history-unreadable', stored.id, rejudged.why),
      ];
    case 'judged': {
      const { record } = rejudged;
      const hash = compareHash(stored, record.historySha256);
      return [...hash, ...compareFields(stored, record)];
    }
    default:
      return rejudged satisfies never;
  }
}

/** Pure: whether the results agree with themselves. */
export function compareRun(
  results: Pick<Results, 'trials' | 'counts' | 'blindSpots'>,
): readonly Difference[] {
  const differences: Difference[] = [];
  const counted = countRecords(results.trials);
  for (const name of Object.keys(counted) as (keyof typeof counted)[]) {
    if (results.counts[name] !== counted[name]) {
      differences.push(
        difference(
          'counts-differ',
          null,
          `counts.${name}: stored ${results.counts[name]}, the records give ${counted[name]}`,
        ),
      );
    }
  }
  const spots = findBlindSpots(results.trials);
  if (!isSame(results.blindSpots, spots)) {
    differences.push(
      difference(
        'blind-spots-differ',
        null,
        `stored ${JSON.stringify(results.blindSpots)}, the records give ${JSON.stringify(spots)}`,
      ),
    );
  }
  const seen = new Set<string>();
  for (const { id } of results.trials) {
    if (seen.has(id)) differences.push(difference('listed-twice', id, 'two records of one trial'));
    seen.add(id);
  }
  return differences;
}

/** What follows from the history; the duration does not, so the stored one stands. */
const comparedFields = [
  'id',
  'seed',
  'verdict',
  'meetsExpectation',
  'findings',
  'expectedFindings',
  'notes',
  'o1',
  'o2',
  'demandedO1',
  'demandedO2',
  'reason',
] as const satisfies readonly (keyof TrialRecord)[];

function compareFields(stored: TrialRecord, judged: TrialRecord): readonly Difference[] {
  return comparedFields
    .filter((field) => !isSame(stored[field], judged[field]))
    .map((field) =>
      difference(
        'record-differs',
        stored.id,
        `${field}: stored ${JSON.stringify(stored[field])}, judged now ${JSON.stringify(judged[field])}`,
      ),
    );
}

function compareHash(stored: TrialRecord, found: string | null): readonly Difference[] {
  if (stored.historySha256 === found) return [];
  return [
    difference(
      'history-changed',
      stored.id,
      `SHA-256 of its history: stored ${stored.historySha256}, found ${found}`,
    ),
  ];
}

async function rejudge(folder: string, stored: TrialRecord): Promise<Rejudged> {
  const bytes = await readFile(historyPath(folder, stored.id));
  const historySha256 = createHash('sha256').update(bytes).digest('hex');
  try {
    const history = parseHistory(bytes.toString('utf8'));
    const { spec } = history;
    const expected = expectedFindings(spec.declaration, spec.cell, spec.gate.lacks);
    const record = recordTrial({
      spec,
      history,
      verdict: judge(spec, history, expected),
      historySha256,
      durationMs: stored.durationMs ?? 0,
      expectedFindings: expected,
    });
    return { kind: 'judged', record, complete: history.complete };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', why, historySha256 };
  }
}

async function historyFiles(folder: string): Promise<ReadonlySet<string>> {
  try {
    const names = await readdir(join(folder, historiesFolder));
    return new Set(names.filter((name) => name.endsWith('.jsonl')));
  } catch (error) {
    // Histories are not committed, so a fresh clone has tables and no folder for them.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Set();
    throw error;
  }
}

function fileName(trialId: string): string {
  return basename(historyPath('', trialId));
}

/** Both sides are plain data that was built in the same order of keys. */
function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function difference(kind: DifferenceKind, about: string | null, message: string): Difference {
  return { kind, about, message };
}

/** Results grouped the way people read them: one row per gate and target, and one per kill point of them. */
import { formatKill } from '../model/cell.ts';
import { compareKills, glossKill, type Killed } from '../model/kill-gloss.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import { isConclusive, isTrial } from '../results/counts.ts';
import { cellOf } from '../results/read-cell.ts';

/** Worst first. */
export const standings = ['unmet', 'inconclusive', 'not-run', 'condemned', 'holds'] as const;
/** `condemned`: every trial met its expectation, and that was to be found guilty. */
export type Standing = (typeof standings)[number];

interface CountedRow {
  readonly gate: string;
  readonly target: string;
  readonly trials: number;
  readonly holds: number;
  readonly violated: number;
  readonly inconclusive: number;
  readonly notRun: number;
  /** Conclusive trials with a finding too many or a missing one. */
  readonly unmet: number;
  readonly standing: Standing;
}

export interface KillRow extends CountedRow {
  /** With the kills of recovery, as in an id. */
  readonly kill: string;
  readonly gloss: string;
}

export interface TargetRow extends CountedRow {
  /** At how many different points it was killed. */
  readonly kills: number;
}

interface Killing {
  readonly killed: Killed;
  readonly records: TrialRecord[];
}

/** In plan order of gates and targets, kill points in order of an effect's life. */
export function tabulate(results: Pick<Results, 'trials'>): readonly KillRow[] {
  const groups = new Map<string, Map<string, Killing>>();
  for (const record of results.trials.filter(isTrial)) {
    const cell = cellOf(record);
    const key = JSON.stringify([cell.gate, cell.target]);
    const kills = groups.get(key) ?? new Map<string, Killing>();
    groups.set(key, kills);
    const kill = formatKill(cell);
    const killing = kills.get(kill) ?? { killed: cell, records: [] };
    killing.records.push(record);
    kills.set(kill, killing);
  }
  return [...groups].flatMap(([key, kills]) => {
    const [gate, target] = JSON.parse(key) as [string, string];
    return [...kills]
      .sort(([, left], [, right]) => compareKills(left.killed, right.killed))
      .map(([kill, { killed, records }]) => ({
        gate,
        target,
        kill,
        gloss: glossKill(killed),
        ...summarize(records),
      }));
  });
}

/** The same in fewer rows, one per gate and target, in the order of their first. */
export function tabulateTargets(rows: readonly KillRow[]): readonly TargetRow[] {
  const groups = new Map<string, KillRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.gate, row.target]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, own]) => {
    const [gate, target] = JSON.parse(key) as [string, string];
    const sum = (field: 'trials' | 'holds' | 'violated' | 'inconclusive' | 'notRun' | 'unmet') =>
      own.reduce((total, row) => total + row[field], 0);
    const counts = {
      trials: sum('trials'),
      holds: sum('holds'),
      violated: sum('violated'),
      inconclusive: sum('inconclusive'),
      notRun: sum('notRun'),
      unmet: sum('unmet'),
    };
    return { gate, target, kills: own.length, ...counts, standing: standingOf(counts) };
  });
}

/** Stable: rows of the same standing keep their order. */
export function worstFirst<Row extends CountedRow>(rows: readonly Row[]): readonly Row[] {
  return standings.flatMap((standing) => rows.filter((row) => row.standing === standing));
}

export function isUnmet(record: TrialRecord): boolean {
  return isConclusive(record) && record.meetsExpectation !== true;
}

export function isCondemnedAsExpected(record: TrialRecord): boolean {
  return record.verdict === 'violated' && record.meetsExpectation === true;
}

/** How many there are of each, most frequent first. */
export function tally(names: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left);
}

export function standingText({ standing, unmet }: CountedRow): string {
  switch (standing) {
    case 'unmet':
      return `${unmet} NOT AS EXPECTED`;
    case 'inconclusive':
      return 'proves nothing yet';
    case 'not-run':
      return 'not all run';
    case 'condemned':
      return 'condemned as expected';
    case 'holds':
      return 'holds';
    default:
      return standing satisfies never;
  }
}

function summarize(records: readonly TrialRecord[]) {
  const count = (verdict: TrialRecord['verdict']) =>
    records.filter((record) => record.verdict === verdict).length;
  const row = {
    trials: records.length,
    holds: count('holds'),
    violated: count('violated'),
    inconclusive: count('inconclusive'),
    notRun: count('not-run'),
    unmet: records.filter(isUnmet).length,
  };
  return { ...row, standing: standingOf(row) };
}

function standingOf(
  row: Pick<KillRow, 'unmet' | 'inconclusive' | 'notRun' | 'violated'>,
): Standing {
  if (row.unmet > 0) return 'unmet';
  if (row.inconclusive > 0) return 'inconclusive';
  if (row.notRun > 0) return 'not-run';
  return row.violated > 0 ? 'condemned' : 'holds';
}

/** From the records of a run to what it says of Killpoint itself. Pure. */
import { exitCodes } from '../model/errors.ts';
import type { Results, TrialRecord } from '../model/results.ts';
import type { BrokenRow, Selftest } from '../model/selftest.ts';
import type { BrokenPart } from '../plan/broken-parts.ts';
import { isConclusive } from './counts.ts';
import type { ResultsExitCode } from './exit-code.ts';
import { brokenPromises, compareFindings, namesFound } from './record.ts';

export interface SelftestInput {
  readonly results: Results;
  readonly parts: readonly BrokenPart[];
  readonly command: string;
}

/** A trial belongs to a part by its cell; every other is one of a sound gate with a sound target. */
export function readSelftest({ results, parts, command }: SelftestInput): Selftest {
  const cellsOf = ({ cells }: BrokenPart) => cells.map(({ cell }) => cell);
  const owned = new Set(parts.flatMap(cellsOf));
  const broken = parts.map((part) =>
    rowOf(
      part,
      cellsOf(part).flatMap((cell) => trialsOf(results.trials, cell)),
    ),
  );
  const sound = results.trials.filter(({ id }) => !owned.has(withoutNumber(id)));
  const condemned = sound.filter(({ verdict }) => verdict === 'violated');
  return {
    format: 1,
    tool: results.tool,
    command,
    seed: results.seed,
    durationMs: results.durationMs,
    finished: results.finished,
    sensitivity: {
      condemned: broken.filter(({ standing }) => standing === 'condemned').length,
      of: broken.length,
    },
    specificity: {
      trials: sound.filter(isConclusive).length,
      falseFindings: condemned.map((record) => ({
        id: record.id,
        seed: record.seed,
        found: [...namesFound(record)],
      })),
      inconclusive: sound.filter((record) => !isConclusive(record)).map(({ id }) => id),
    },
    broken,
  };
}

/** Nothing tried is nothing shown. */
export function exitCodeOfSelftest(selftest: Selftest): ResultsExitCode {
  const { broken, specificity, finished } = selftest;
  const standings = broken.map(({ standing }) => standing);
  if (
    specificity.falseFindings.length > 0 ||
    standings.includes('not-condemned') ||
    standings.includes('wrong-reason')
  ) {
    return exitCodes.unmet;
  }
  const provedAll =
    finished &&
    broken.length > 0 &&
    !standings.includes('inconclusive') &&
    specificity.inconclusive.length === 0;
  return provedAll ? exitCodes.met : exitCodes.inconclusive;
}

function rowOf(part: BrokenPart, records: readonly TrialRecord[]): BrokenRow {
  const showing = records.findIndex((record) => brokenPromises(record).includes(part.finding));
  return {
    kind: part.kind,
    name: part.name,
    about: part.about,
    lacks: part.lacks,
    finding: part.finding,
    standing: standingOf(records, showing !== -1),
    shownBy: records[showing] === undefined ? null : withoutNumber(records[showing].id),
    cellsTried: showing === -1 ? records.length : showing + 1,
    trials: records.map((record) => ({
      id: record.id,
      seed: record.seed,
      verdict: record.verdict,
      declared: [...record.expectedFindings],
      found: [...namesFound(record)],
      historySha256: record.historySha256,
    })),
  };
}

function standingOf(records: readonly TrialRecord[], isShown: boolean): BrokenRow['standing'] {
  if (records.length === 0 || !records.every(isConclusive)) return 'inconclusive';
  if (!isShown) return 'not-condemned';
  const asDeclared = records.every((record) => {
    const { unexpected, missing } = compareFindings(record);
    return unexpected.length === 0 && missing.length === 0;
  });
  return asDeclared ? 'condemned' : 'wrong-reason';
}

function trialsOf(records: readonly TrialRecord[], cell: string): readonly TrialRecord[] {
  return records.filter(({ id }) => withoutNumber(id) === cell);
}

/** The cell of a trial's id. */
function withoutNumber(id: string): string {
  return id.replace(/\/\d+$/, '');
}

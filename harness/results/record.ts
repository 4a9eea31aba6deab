/**
 * One record per planned trial and per excluded cell: what a trial's history and verdict amount to in
 * the results. Pure; the same history gives the same record, which is how stored results are checked.
 */

import { readObservations } from '../checkers/facts.ts';
import { placeInPhases } from '../checkers/seen.ts';
import { expectKnown } from '../model/condemned.ts';
import { expectScenario, formatEndings } from '../model/expectation.ts';
import { type FindingName, findingNames, isMiss, type MissName } from '../model/findings.ts';
import type { History } from '../model/history.ts';
import type { GateFacts, TargetFacts, TrialRecord } from '../model/results.ts';
import type { RuleName } from '../model/rules.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Verdict } from '../model/verdict.ts';
import type { ExcludedCell, PlannedTrial } from '../plan/plan.ts';
import { shapeOf } from './history-shape.ts';

type Observation = NonNullable<TrialRecord['o1']>;

export interface TrialEvidence {
  readonly spec: TrialSpec;
  readonly history: History;
  readonly verdict: Verdict;
  /** SHA-256 of the history file's bytes, in hex. */
  readonly historySha256: string;
  /** Wall clock of the whole trial. */
  readonly durationMs: number;
  readonly expectedFindings: readonly FindingName[];
}

/** The record of a trial that ran. */
export function recordTrial(evidence: TrialEvidence): TrialRecord {
  const { spec, history, verdict } = evidence;
  return {
    id: spec.id,
    seed: spec.seed,
    verdict: verdict.verdict,
    meetsExpectation: verdict.meetsExpectation,
    findings: verdict.findings.map(({ finding, message }) => ({ finding, message })),
    expectedFindings: [...evidence.expectedFindings],
    notes: [...verdict.notes],
    o1: observationOf(history, 'O1'),
    o2: observationOf(history, 'O2'),
    second: observationOf(history, 'second'),
    ...demands(spec.declaration, spec.cell),
    recoveryMs: recoveryMsOf(history),
    reason: null,
    durationMs: Math.round(evidence.durationMs),
    historySha256: evidence.historySha256,
    shapeSha256: shapeOf(history),
  };
}

/** What a record rests on where no history says it; entries of the catalogue will do as well. */
export interface RecordedSubject {
  readonly gate: Pick<GateFacts, 'condemned'> & { readonly lacks: readonly RuleName[] };
  readonly target: Pick<TargetFacts, 'declaration' | 'condemned'>;
}

/** The record of a planned trial that did not run. */
export function notRunRecord(
  trial: Pick<PlannedTrial, 'id' | 'seed' | 'cell'>,
  reason: string,
  subject: RecordedSubject,
): TrialRecord {
  const { declaration } = subject.target;
  const expectation = expectKnown(subject, trial.cell);
  return {
    ...unobserved(trial.id, trial.seed),
    verdict: 'not-run',
    expectedFindings: expectation.kind === 'reachable' ? [...expectation.findings] : [],
    ...demands(declaration, trial.cell),
    reason,
  };
}

/** The record of a cell without trials. It has no seed of its own, so the run's stands there. */
export function excludedRecord(
  cell: Pick<ExcludedCell, 'id' | 'reason'>,
  runSeed: number,
): TrialRecord {
  return { ...unobserved(cell.id, runSeed), verdict: 'excluded', reason: cell.reason };
}

/** What the journal and the gate say of one decision, at one time. */
export function observationOf(history: History, name: 'O1' | 'O2' | 'second'): Observation | null {
  const { asked, outcome, effects, byOthers } = readObservations(placeInPhases(history))[name];
  if (!asked && (effects === null || name === 'second')) return null;
  return {
    effects: effects?.length ?? null,
    byOthers: byOthers?.length ?? null,
    outcome: outcome === null ? null : summarize(outcome),
  };
}

/** Of the last recovery before the first observation: what was killed in it counts as never done. */
function recoveryMsOf(history: History): number | null {
  let asked: { readonly id: unknown; readonly incarnation: number; readonly atMs: number } | null =
    null;
  let recoveryMs: number | null = null;
  for (const { event, atMs } of history.events) {
    if (event.type === 'phase' && event.phase === 'O1') break;
    if (event.type === 'sent' && event.message.type === 'recover') {
      asked = { id: event.message.id, incarnation: event.incarnation, atMs };
      recoveryMs = null;
    }
    if (
      event.type === 'said' &&
      event.message.type === 'done' &&
      event.message.re === asked?.id &&
      event.incarnation === asked.incarnation
    ) {
      recoveryMs = Math.round(atMs - asked.atMs);
    }
  }
  return recoveryMs;
}

/** What was found by name, each once however often it was seen. */
export function namesFound(record: TrialRecord): readonly (FindingName | MissName)[] {
  return [...new Set(record.findings.map(({ finding }) => finding))];
}

/** The same without the reasons for having proved nothing. */
export function brokenPromises(record: TrialRecord): readonly FindingName[] {
  return namesFound(record).flatMap((name) => (isMiss(name) ? [] : [name]));
}

export interface FindingDifference {
  readonly unexpected: readonly FindingName[];
  readonly missing: readonly FindingName[];
}

/** What was found beyond the expected, and what was expected and not found. */
export function compareFindings(record: TrialRecord): FindingDifference {
  const found = new Set(brokenPromises(record));
  const expected = new Set(record.expectedFindings);
  return {
    unexpected: findingNames.filter((name) => found.has(name) && !expected.has(name)),
    missing: findingNames.filter((name) => expected.has(name) && !found.has(name)),
  };
}

function summarize(outcome: NonNullable<Observation['outcome']>): Observation['outcome'] {
  return {
    outcome: outcome.outcome,
    disposition: outcome.disposition,
    state: outcome.state,
    attempts: outcome.attempts,
  };
}

function unobserved(id: string, seed: number): Omit<TrialRecord, 'verdict' | 'reason'> {
  return {
    id,
    seed,
    meetsExpectation: null,
    findings: [],
    expectedFindings: [],
    notes: [],
    o1: null,
    o2: null,
    second: null,
    demandedO1: null,
    demandedO2: null,
    demandedSecond: null,
    recoveryMs: null,
    durationMs: null,
    historySha256: null,
    shapeSha256: null,
  };
}

/** What a sound gate must end at, also beside a gate that lacks rules: that is what it is measured by. */
function demands(
  declaration: TrialSpec['declaration'],
  cell: TrialSpec['cell'],
): Pick<TrialRecord, 'demandedO1' | 'demandedO2' | 'demandedSecond'> {
  const expectation = expectScenario(declaration, cell);
  if (expectation.kind === 'cannot-meet') {
    return { demandedO1: null, demandedO2: null, demandedSecond: null };
  }
  return {
    demandedO1: formatEndings(expectation.o1),
    demandedO2: formatEndings(expectation.o2),
    demandedSecond: expectation.second.length === 0 ? null : formatEndings(expectation.second),
  };
}

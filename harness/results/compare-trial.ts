/**
 * What one stored record disagrees about with its history, or, where no history says it, with what
 * follows from the cell, the run's seed and what is stored of gates and targets. Pure.
 */
import { type Cell, formatTrialId, parseId } from '../model/cell.ts';
import type { GateFacts, Results, TargetFacts, TrialRecord } from '../model/results.ts';
import type { TrialSpec } from '../model/trial.ts';
import { trialSeed } from '../plan/plan.ts';
import { type Difference, difference, isSame } from './differences.ts';
import { excludedRecord, notRunRecord } from './record.ts';
import { whyCannotMeet } from './subjects.ts';

/** What one history file amounts to when it is judged now. */
export type Rejudged =
  | { readonly kind: 'missing' }
  /** The hash is null where not even bytes could be read. */
  | { readonly kind: 'unreadable'; readonly why: string; readonly historySha256: string | null }
  | { readonly kind: 'judged'; readonly record: TrialRecord; readonly spec: JudgedSpec };

/** What the history says of itself and the results say too. */
export type JudgedSpec = Pick<TrialSpec, 'id' | 'cell' | 'trial' | 'gate' | 'declaration'>;

/** What a record is checked against besides its history. */
export type RunBasis = Pick<Results, 'seed' | 'gates' | 'targets' | 'plan'>;

export function compareTrial(
  stored: TrialRecord,
  rejudged: Rejudged,
  run: RunBasis,
): readonly Difference[] {
  switch (stored.verdict) {
    case 'excluded':
      return [...compareAbsence(stored, rejudged), ...compareExcluded(stored, run)];
    case 'not-run':
      return [...compareAbsence(stored, rejudged), ...compareNotRun(stored, run)];
    case 'holds':
    case 'violated':
    case 'inconclusive':
      return compareRan(stored, rejudged, run);
    default:
      return stored.verdict satisfies never;
  }
}

/** Any history will do: a trial that left one was begun, whatever the record calls it. */
function compareAbsence(stored: TrialRecord, rejudged: Rejudged): readonly Difference[] {
  if (rejudged.kind === 'missing') return [];
  const message = `stored as ${stored.verdict}, and a history of it is there`;
  return [difference('ran-after-all', stored.id, message)];
}

function compareExcluded(stored: TrialRecord, run: RunBasis): readonly Difference[] {
  const { cell, trial } = readId(stored.id);
  const wrongly = (message: string) => [difference('excluded-wrongly', stored.id, message)];
  if (trial !== null) return wrongly('a cell is excluded as a whole, and this is one trial of it');
  const subject = subjectOf(cell, run);
  if (subject.kind === 'unknown') return [unknownSubject(stored.id, subject.why)];
  const reasons = reasonsToExclude(stored.id, { cell, subject, run });
  const [first] = reasons;
  if (first === undefined) {
    return wrongly(`stored as excluded (${stored.reason}), and nothing rules the cell out`);
  }
  const reason = reasons.find((known) => known === stored.reason) ?? first;
  return compareFields(stored, excludedRecord({ id: stored.id, reason }, run.seed));
}

interface ExcludedPlace {
  readonly cell: Cell;
  readonly subject: Extract<Subject, { kind: 'known' }>;
  readonly run: RunBasis;
}

/**
 * An exclusion holds for the slices of its own file alone, and a matrix may include others: so one that
 * matches need not be the reason, and what rules the cell out besides will do as well.
 */
function reasonsToExclude(id: string, { cell, subject, run }: ExcludedPlace): readonly string[] {
  const onPurpose = run.plan.exclusions
    .filter(({ match }) => id.startsWith(match))
    .map(({ reason, link }) => `${reason} (${link})`);
  const why = whyCannotMeet(cell, subject);
  if (why !== null) return [...onPurpose, `cannot-meet: ${why}`];
  const { railUnavailable } = subject.target;
  return railUnavailable === null ? onPurpose : [...onPurpose, railUnavailable];
}

function compareNotRun(stored: TrialRecord, run: RunBasis): readonly Difference[] {
  const { cell, trial } = readId(stored.id);
  if (trial === null) return [withoutNumber(stored.id)];
  const subject = subjectOf(cell, run);
  if (subject.kind === 'unknown') return [unknownSubject(stored.id, subject.why)];
  const planned = { id: stored.id, seed: trialSeed(run.seed, stored.id), cell };
  // Why it did not run is known to nobody but the record.
  return compareFields(stored, notRunRecord(planned, stored.reason ?? 'no reason', subject));
}

function compareRan(stored: TrialRecord, rejudged: Rejudged, run: RunBasis): readonly Difference[] {
  switch (rejudged.kind) {
    case 'missing': {
      const message = `stored as ${stored.verdict}, no history is there`;
      return [difference('history-missing', stored.id, message), ...compareSeed(stored, run)];
    }
    case 'unreadable':
      return [
        ...compareHash(stored, rejudged.historySha256),
        difference('history-unreadable', stored.id, rejudged.why),
        ...compareSeed(stored, run),
      ];
    case 'judged':
      return [
        ...compareHash(stored, rejudged.record.historySha256),
        ...compareFields(stored, rejudged.record),
        ...compareSeed(stored, run),
        ...compareSubject(stored, rejudged.spec, run),
      ];
    default:
      return rejudged satisfies never;
  }
}

/** The duration follows from nothing, so the stored one stands; the hash has a difference of its own. */
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
  'second',
  'demandedO1',
  'demandedO2',
  'demandedSecond',
  'recoveryMs',
  'reason',
  'shapeSha256',
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
  if (stored.historySha256 === found || found === null) return [];
  const message = `SHA-256 of its history: stored ${stored.historySha256}, found ${found}`;
  return [difference('history-changed', stored.id, message)];
}

/** A history can't say which run it belongs to; the run's seed and the id give the trial's. */
function compareSeed(stored: TrialRecord, run: RunBasis): readonly Difference[] {
  const seed = trialSeed(run.seed, stored.id);
  if (stored.seed === seed) return [];
  const message = `seed: stored ${stored.seed}, the run's seed ${run.seed} and the id give ${seed}`;
  return [difference('record-differs', stored.id, message)];
}

/** Whether the history is of the gate and target that the results describe. */
function compareSubject(
  stored: TrialRecord,
  spec: JudgedSpec,
  run: RunBasis,
): readonly Difference[] {
  const { cell, trial } = readId(stored.id);
  if (trial === null) return [withoutNumber(stored.id)];
  const about = (message: string) => difference('subject-differs', stored.id, message);
  const subject = subjectOf(cell, run);
  if (subject.kind === 'unknown') return [unknownSubject(stored.id, subject.why)];
  const specId = formatTrialId(spec.cell, spec.trial);
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['cell', stored.id, specId],
    ['rules the gate lacks', subject.gate.lacks, spec.gate.lacks],
    ['declaration of the target', subject.target.declaration, spec.declaration],
  ];
  return pairs
    .filter(([, left, right]) => !isSame(left, right))
    .map(([what, left, right]) =>
      about(
        `${what}: the results say ${JSON.stringify(left)}, the history ${JSON.stringify(right)}`,
      ),
    );
}

type Subject =
  | { readonly kind: 'known'; readonly gate: GateFacts; readonly target: TargetFacts }
  | { readonly kind: 'unknown'; readonly why: string };

function subjectOf(cell: Cell, run: RunBasis): Subject {
  const gate = run.gates.find(({ name }) => name === cell.gate);
  const target = run.targets.find(({ name }) => name === cell.target);
  if (gate === undefined) return { kind: 'unknown', why: `the gate ${cell.gate}` };
  if (target === undefined) return { kind: 'unknown', why: `the target ${cell.target}` };
  return { kind: 'known', gate, target };
}

function unknownSubject(id: string, what: string): Difference {
  return difference('subject-differs', id, `the results say nothing of ${what}`);
}

function withoutNumber(id: string): Difference {
  return difference('record-differs', id, 'expected the id of a trial, got that of a cell');
}

function readId(id: string): { readonly cell: Cell; readonly trial: number | null } {
  const parsed = parseId(id);
  if (parsed.kind === 'not-an-id') throw new Error(`a record with an unreadable id: ${parsed.why}`);
  return parsed;
}

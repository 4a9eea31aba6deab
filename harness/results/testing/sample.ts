/** Records and results for tests, sound unless said otherwise. */
import type { GateFacts, Results, TargetFacts, TrialRecord } from '../../model/results.ts';
import { declarations } from '../../model/testing/classes.ts';
import { trialSeed } from '../../plan/plan.ts';
import { assembleResults } from '../assemble.ts';
import { hashPlanOfRecords } from '../plan-hash.ts';

type Outcome = NonNullable<NonNullable<TrialRecord['o1']>['outcome']>;

export function observed(outcome: Outcome['outcome'], effects: number): TrialRecord['o1'] {
  const disposition = outcome === 'unknown' ? 'surfaced' : 'settled';
  return { effects, byOthers: 0, outcome: { outcome, disposition, state: null, attempts: 1 } };
}

export const sampleCell = 'reference/stripe.keyed/during_call:now/none/none/same-again';

/** The seed of the run that samples belong to. */
export const sampleSeed = 9;

export const sampleGates: GateFacts[] = [
  { name: 'reference', lacks: [] },
  { name: 'naive', lacks: ['stable-key', 'no-blind-resend', 'payload-bound'] },
];

const declaration = declarations.dedupes as TargetFacts['declaration'];

const ableRail = {
  railCan: [],
  railMovesClock: true,
  railWorlds: [],
  railHolds: false,
  railCaps: false,
  railSpeaks: 'http',
  railUnavailable: null,
} satisfies Partial<TargetFacts>;

export const sampleTargets: TargetFacts[] = [
  { name: 'stripe.keyed', declaration, ...ableRail },
  {
    name: 'stripe.blind',
    declaration: { ...declaration, dedupe: null },
    ...ableRail,
  },
];

export function sampleRecord(changes: Partial<TrialRecord> = {}): TrialRecord {
  const id = changes.id ?? `${sampleCell}/1`;
  return {
    id,
    seed: trialSeed(sampleSeed, id),
    verdict: 'holds',
    meetsExpectation: true,
    findings: [],
    expectedFindings: [],
    notes: [],
    o1: observed('happened', 1),
    o2: observed('happened', 1),
    demandedO1: 'H1',
    demandedO2: 'H1',
    second: null,
    demandedSecond: null,
    recoveryMs: 20,
    reason: null,
    durationMs: 100,
    historySha256: 'aa',
    shapeSha256: 'aa',
    ...changes,
  };
}

/** The naive gate in the same crash, found guilty as it must be. */
export function sampleCondemned(changes: Partial<TrialRecord> = {}): TrialRecord {
  return sampleRecord({
    id: 'naive/stripe.keyed/during_call:now/none/none/same-again/1',
    verdict: 'violated',
    findings: [{ finding: 'two-effects', message: 'expected at most 1, the journal holds 2' }],
    expectedFindings: ['two-effects'],
    o1: observed('happened', 2),
    o2: observed('happened', 2),
    ...changes,
  });
}

export function sampleNotRun(changes: Partial<TrialRecord> = {}): TrialRecord {
  return sampleRecord({
    verdict: 'not-run',
    meetsExpectation: null,
    o1: null,
    o2: null,
    recoveryMs: null,
    reason: 'the run was interrupted',
    durationMs: null,
    historySha256: null,
    shapeSha256: null,
    ...changes,
  });
}

export function sampleExcluded(changes: Partial<TrialRecord> = {}): TrialRecord {
  return sampleNotRun({
    id: 'reference/stripe.keyed/before_wal/reply-lost@first-send/none/same-again',
    verdict: 'excluded',
    seed: sampleSeed,
    demandedO1: null,
    demandedO2: null,
    reason:
      'cannot-meet: the process dies before its first call has ended, so no fault can meet it',
    ...changes,
  });
}

export function sampleResults(
  records: readonly TrialRecord[],
  changes: Partial<Results> = {},
): Results {
  const facts = {
    version: '0.0.0',
    environment: { node: 'v20.19.0', platform: 'linux x64', cpus: 2, versions: { sqlite: '3' } },
    matrix: 'sample',
    plan: {
      from: 'file' as const,
      trialsPerCell: null,
      exclusions: [],
      idsSha256: hashPlanOfRecords(records),
      shard: null,
      share: null,
    },
    gates: sampleGates,
    targets: sampleTargets,
    command: 'npx killpoint run sample --seed 9',
    seed: sampleSeed,
    workers: 2,
  };
  const end = { records, startedAt: '2025-06-01T00:00:00.000Z', durationMs: 1234, finished: true };
  return { ...assembleResults(facts, end), ...changes };
}

/**
 * A run's results: what the tables are rendered from and what is committed. Counts are raw; every
 * planned trial is counted once.
 */
import { z } from 'zod';
import { type RailFault, railWorldEvents } from '../../adapters/rail.ts';
import { parseId } from './cell.ts';
import { findingNames, missNames } from './findings.ts';
import { exclusionSchema } from './matrix.ts';
import { declarationSchema, endpointProtocols, outcomeSchema } from './protocol.ts';
import { ruleNames } from './rules.ts';
import { verdictNames } from './verdict.ts';

const count = z.number().int().nonnegative();

export const countsSchema = z.strictObject({
  planned: count,
  holds: count,
  violated: count,
  inconclusive: count,
  notRun: count,
  excluded: count,
});
export type Counts = z.infer<typeof countsSchema>;

const observationSchema = z.strictObject({
  /** Effects of the subject's for this decision in the journal; null when it was not read. */
  effects: count.nullable(),
  /** Effects of other people's, without the positive control; null when the journal was not read. */
  byOthers: count.nullable(),
  /** What the subject said; null when it did not answer. */
  outcome: outcomeSchema
    .pick({ outcome: true, disposition: true, state: true, attempts: true })
    .nullable(),
});

/** Everything that reads results reads the cell back from the id, so one that says nothing is refused. */
const idSchema = z.string().superRefine((id, context) => {
  const parsed = parseId(id);
  if (parsed.kind === 'not-an-id') context.addIssue(parsed.why);
});

export const trialRecordSchema = z.strictObject({
  id: idSchema,
  seed: z.number().int().nonnegative(),
  verdict: z.enum(verdictNames),
  /** True, false, or null for a trial that was not run. */
  meetsExpectation: z.boolean().nullable(),
  /** Names with the message that belongs to each. */
  findings: z.array(
    z.strictObject({ finding: z.enum([...findingNames, ...missNames]), message: z.string() }),
  ),
  expectedFindings: z.array(z.enum(findingNames)),
  notes: z.array(z.string()),
  o1: observationSchema.nullable(),
  o2: observationSchema.nullable(),
  /** The second decision at the end; null where nobody asked for one. */
  second: observationSchema.nullable(),
  /** What the table demands, as `H1` or `A0 or H1`; null where the cell can't exist. */
  demandedO1: z.string().nullable(),
  demandedO2: z.string().nullable(),
  demandedSecond: z.string().nullable(),
  /** From `recover` to its done, in the recovery whose end was observed; null when it was never done. */
  recoveryMs: z.number().nonnegative().nullable(),
  /** Why it was excluded or not run; null otherwise. */
  reason: z.string().nullable(),
  durationMs: z.number().nonnegative().nullable(),
  /** SHA-256 of the history file; null when there is none. */
  historySha256: z.string().nullable(),
  /** SHA-256 of the history's shape (results/history-shape.ts); the same course gives the same. */
  shapeSha256: z.string().nullable(),
});
export type TrialRecord = z.infer<typeof trialRecordSchema>;

const railFaultKinds = [
  'stored-error',
  'in-flight-conflict',
  'refused',
  'turned-down',
  'half-done',
  'lookup-error',
  'stale-read',
  'paged',
] as const satisfies readonly RailFault['kind'][];

/** How the trials were chosen, and what shows that none of them was taken out afterwards. */
export const planFactsSchema = z.strictObject({
  /** A matrix of the package, one of the user's, or trials named one by one. */
  from: z.enum(['package', 'file', 'ids']),
  /** What replaced every slice's own number; null when nothing did. */
  trialsPerCell: z.number().int().positive().nullable(),
  /** The matrix's exclusions on purpose. */
  exclusions: z.array(exclusionSchema),
  /** SHA-256 over the ids of trials and excluded cells, in order (results/plan-hash.ts). */
  idsSha256: z.string(),
  /** Which part of a plan this is; null where it is all of it. */
  shard: z
    .strictObject({
      /** From 1 to `count`. */
      index: z.number().int().positive(),
      count: z.number().int().positive(),
      /** The same hash of the whole plan. */
      idsSha256: z.string(),
      /** The command that runs the whole plan. */
      command: z.string(),
    })
    .refine(({ index, count }) => index <= count, 'expected an index up to the count')
    .nullable(),
  /** How many of its trials are among those of the full plan; null where nobody asked. */
  share: z.strictObject({ matrix: z.string(), trials: count, of: count }).nullable(),
});

/** What the verdicts and exclusions rest on: without it nobody could check them afterwards. */
/** What was broken on purpose declares the cells that show it; absent: nothing was. */
const condemnedSchema = z
  .array(z.strictObject({ cell: z.string(), findings: z.array(z.enum(findingNames)).readonly() }))
  .readonly()
  .optional();
const gateFactsSchema = z.strictObject({
  name: z.string(),
  lacks: z.array(z.enum(ruleNames)),
  condemned: condemnedSchema,
});
const targetFactsSchema = z.strictObject({
  name: z.string(),
  declaration: declarationSchema,
  /** The faults its rail can do, and whether it can move its clock. */
  railCan: z.array(z.enum(railFaultKinds)),
  railMovesClock: z.boolean(),
  /** The events of the world it can perform; whether it can stand still over an effect and be capped; its protocol. */
  railWorlds: z.array(z.enum(railWorldEvents)),
  railHolds: z.boolean(),
  railCaps: z.boolean(),
  railSpeaks: z.enum(endpointProtocols),
  /** Why nothing could be run against it; null where it could. */
  railUnavailable: z.string().nullable(),
  condemned: condemnedSchema,
});
export type GateFacts = z.infer<typeof gateFactsSchema>;
export type TargetFacts = z.infer<typeof targetFactsSchema>;

export const resultsSchema = z.strictObject({
  format: z.literal(1),
  tool: z.strictObject({ name: z.literal('killpoint'), version: z.string() }),
  environment: z.strictObject({
    node: z.string(),
    platform: z.string(),
    cpus: z.number().int().positive(),
    /** Versions of what was under test besides ours: sqlite, stripe. */
    versions: z.record(z.string(), z.string()),
  }),
  matrix: z.string(),
  plan: planFactsSchema,
  /** Those that stand in the plan. */
  gates: z.array(gateFactsSchema),
  targets: z.array(targetFactsSchema),
  /** The command that makes this again. */
  command: z.string(),
  seed: z.number().int().nonnegative(),
  workers: z.number().int().positive(),
  startedAt: z.string(),
  durationMs: z.number().nonnegative(),
  /** False when the run was interrupted or bailed out. */
  finished: z.boolean(),
  /** Complaints about the run as a whole: a kill point without a kill, a fault without a fire, no `holds`. */
  blindSpots: z.array(z.string()),
  /** The harness's resident memory, in MiB; null when nothing ran, and where shards were put together. */
  memory: z.strictObject({ afterTenthMiB: z.number(), atEndMiB: z.number() }).nullable(),
  counts: countsSchema,
  trials: z.array(trialRecordSchema),
});
export type Results = z.infer<typeof resultsSchema>;

/**
 * Gates beside each other in the same crashes, as `comparison.json` holds it: rows as data, each trial
 * with its id, its seed and the hash of its history, so that anybody can run or judge it again.
 */
import { z } from 'zod';
import { findingNames, missNames } from './findings.ts';
import { outcomeSchema } from './protocol.ts';
import { resultsSchema, trialRecordSchema } from './results.ts';
import { verdictNames } from './verdict.ts';

const count = z.number().int().nonnegative();
const { outcome, disposition } = outcomeSchema.shape;
const { id, seed, meetsExpectation, recoveryMs, historySha256 } = trialRecordSchema.shape;

/** What one trial ended at, after the caller's behaviour. */
const comparedTrialSchema = z.strictObject({
  id,
  seed,
  verdict: z.enum(verdictNames),
  meetsExpectation,
  /** What the subject said; null when it did not answer. */
  outcome: outcome.nullable(),
  disposition: disposition.nullable(),
  /** The subject's own effects in the journal, and other people's; null when it was not read. */
  effects: count.nullable(),
  byOthers: count.nullable(),
  recoveryMs,
  /** Each once. */
  findings: z.array(z.enum([...findingNames, ...missNames])),
  historySha256,
});
export type ComparedTrial = z.infer<typeof comparedTrialSchema>;

/** How a gate did beside the reference gate in one row. */
export const comparedStandings = [
  /** It is the reference gate. */
  'reference',
  /** Both hold, said the same, and the journal shows the same. */
  'ties',
  /** It holds, and ended at something else. */
  'holds-otherwise',
  'breaks-a-promise',
  /** One of the two has no conclusive trial here. */
  'not-compared',
] as const;

const comparedCellSchema = z.strictObject({
  gate: z.string(),
  standing: z.enum(comparedStandings),
  /** The median of the conclusive trials; null where none of them has one. */
  recoveryMs: z.number().nonnegative().nullable(),
  /** Empty where none ran. */
  trials: z.array(comparedTrialSchema),
});
export type ComparedCell = z.infer<typeof comparedCellSchema>;

/** One crash, the same for every gate: what a cell is without its gate. */
const comparedRowSchema = z.strictObject({
  target: z.string(),
  /** As in an id, with the kills of recovery. */
  kill: z.string(),
  killGloss: z.string(),
  fault: z.string(),
  world: z.string(),
  worldMeaning: z.string(),
  caller: z.string(),
  /** In the order of `gates`. */
  cells: z.array(comparedCellSchema),
});
export type ComparedRow = z.infer<typeof comparedRowSchema>;

/** How often a gate did what over the rows of a target; each is counted by itself. */
const comparedTallySchema = z.strictObject({
  gate: z.string(),
  target: z.string(),
  /** Rows in which both have a conclusive trial. */
  rows: count,
  ties: count,
  holdsOtherwise: count,
  breaksAPromise: count,
});
export type ComparedTally = z.infer<typeof comparedTallySchema>;

const { tool, environment, matrix, gates, command, workers, startedAt, finished } =
  resultsSchema.shape;

export const comparisonSchema = z.strictObject({
  format: z.literal(1),
  tool,
  environment,
  /** The results it was made from, as they were named. */
  source: z.string(),
  matrix,
  /** The command that makes those results again. */
  command,
  seed: resultsSchema.shape.seed,
  workers,
  startedAt,
  finished,
  gates,
  /** The gate the others are held against: the first that lacks no rule. */
  reference: z.string(),
  rows: z.array(comparedRowSchema),
  tallies: z.array(comparedTallySchema),
  /** Crashes that fewer than two gates met; they are in no row. */
  rowsLeftOut: count,
  /** Cells and trials that did not run, by gate and reason. */
  leftOut: z.array(z.strictObject({ gate: z.string(), reason: z.string(), count })),
});
export type Comparison = z.infer<typeof comparisonSchema>;

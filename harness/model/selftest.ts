/**
 * Whether Killpoint sees: what became of everything that was broken on purpose, and of as many sound
 * trials beside it. As `broken.json` holds it.
 */
import { z } from 'zod';
import { findingNames, missNames } from './findings.ts';
import { trialRecordSchema } from './results.ts';
import { ruleNames } from './rules.ts';
import { verdictNames } from './verdict.ts';

const count = z.number().int().nonnegative();
const { id, seed, historySha256 } = trialRecordSchema.shape;

export const partStandings = [
  /** In every cell exactly what it declares was found. */
  'condemned',
  /** The promise it must be seen to break was not. */
  'not-condemned',
  /** It was, and something was found that it does not declare, or something declared was not. */
  'wrong-reason',
  /** A trial of it proved nothing, or did not run. */
  'inconclusive',
] as const;

const shownTrialSchema = z.strictObject({
  id,
  seed,
  verdict: z.enum(verdictNames),
  declared: z.array(z.enum(findingNames)),
  /** Each once. */
  found: z.array(z.enum([...findingNames, ...missNames])),
  historySha256,
});

const brokenRowSchema = z.strictObject({
  kind: z.enum(['gate', 'target']),
  name: z.string(),
  about: z.string(),
  /** The rule of a sound gate that was removed; null for a target. */
  lacks: z.enum(ruleNames).nullable(),
  finding: z.enum(findingNames),
  standing: z.enum(partStandings),
  /** The first cell that showed the finding; null where none did. */
  shownBy: z.string().nullable(),
  /** How many of its cells were tried until then, or in all where none showed it. */
  cellsTried: count,
  trials: z.array(shownTrialSchema),
});
export type BrokenRow = z.infer<typeof brokenRowSchema>;

export const selftestSchema = z.strictObject({
  format: z.literal(1),
  tool: z.strictObject({ name: z.literal('killpoint'), version: z.string() }),
  command: z.string(),
  seed,
  durationMs: z.number().nonnegative(),
  finished: z.boolean(),
  /** How many of what was broken were condemned, for what they declare. */
  sensitivity: z.strictObject({ condemned: count, of: count }),
  /** How many trials of a sound gate with a sound target were condemned. */
  specificity: z.strictObject({
    trials: count,
    falseFindings: z.array(
      z.strictObject({ id, seed, found: z.array(z.enum([...findingNames, ...missNames])) }),
    ),
    /** Trials that proved nothing, or did not run. */
    inconclusive: z.array(z.string()),
  }),
  broken: z.array(brokenRowSchema),
});
export type Selftest = z.infer<typeof selftestSchema>;

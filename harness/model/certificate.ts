/**
 * A certificate: what a target claims, what was shown of it, and every cell that shows it, with the hash
 * of each history. It stands beside its histories, from which all of it can be concluded again.
 */
import { z } from 'zod';
import { capabilities } from '../../adapters/reduced-target.ts';
import { declarationSchema } from './protocol.ts';
import { resultsSchema } from './results.ts';

const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

/** A module of the user's, with everything of the user's own that it imports. */
const sourceSchema = z.strictObject({
  module: z.string(),
  export: z.string(),
  sha256,
  files: z.array(z.strictObject({ path: z.string(), sha256 })),
});

const claimSchema = z.strictObject({ class: z.string(), declaration: declarationSchema });

export const exercises = [...capabilities, 'window'] as const;

/** Everything that follows from the stages and their histories, so that it can be concluded again. */
export const conclusionSchema = z.strictObject({
  declared: claimSchema,
  /** `nothing`: not even what declares nothing is safe. `undetermined`: something proved nothing. */
  proven: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('class'), ...claimSchema.shape }),
    z.strictObject({ kind: z.literal('nothing') }),
    z.strictObject({ kind: z.literal('undetermined'), why: z.string() }),
  ]),
  standing: z.enum(['as-declared', 'less', 'undetermined']),
  capabilities: z.array(
    z.strictObject({
      name: z.enum(exercises),
      standing: z.enum(['held', 'refuted', 'not-exercised']),
      /** In how many trials it was relied on and held. */
      trials: count,
    }),
  ),
  /** Why proven is less than declared, and the trial that shows it; null where it is not. */
  difference: z
    .strictObject({
      why: z.string(),
      shownBy: z
        .strictObject({
          trial: z.string(),
          cell: z.string(),
          demanded: z.string().nullable(),
          reached: z.string(),
          effects: count.nullable(),
          outcome: z.string().nullable(),
          findings: z.array(z.string()),
        })
        .nullable(),
    })
    .nullable(),
  /** Cells in which even a sound gate must leave it to a person. */
  surfaced: z.array(
    z.strictObject({
      kill: z.string(),
      gloss: z.string(),
      cells: count,
      when: z.array(z.string()),
      asks: z.string(),
    }),
  ),
  /** What the declaration allows for and this rail could not show. */
  notExercised: z.array(z.strictObject({ reason: z.string(), cells: count })),
});
export type Conclusion = z.infer<typeof conclusionSchema>;

export const certificateSchema = z.strictObject({
  certificate: z.literal(1),
  tool: z.strictObject({ name: z.literal('killpoint'), version: z.string() }),
  target: z.strictObject({ name: z.string(), ...sourceSchema.shape }),
  rail: sourceSchema,
  environment: resultsSchema.shape.environment,
  /** Where the service stood, where it was not one that the rail started. */
  againstUrl: z.string().nullable(),
  seed: count,
  trialsPerCell: z.number().int().positive(),
  /** What it was confined to, by ids without gate and target; null: every cell of the plan. */
  cells: z.array(z.string()).nullable(),
  /** Makes this certificate again. */
  command: z.string(),
  ...conclusionSchema.shape,
  /** Each with what it left out of the declaration, and all its cells. */
  stages: z
    .array(z.strictObject({ without: z.array(z.enum(capabilities)), results: resultsSchema }))
    .min(1),
});
export type Certificate = z.infer<typeof certificateSchema>;

/**
 * A declared run: which values of each axis are combined, what is left out and why. Files under
 * `matrices/` are read through this schema.
 */
import { z } from 'zod';
import { allArmedFaults, callerBehaviours, formatFault, parseKill, worldEvents } from './cell.ts';
import { killPointNames, recoveryPoints } from './kill-points.ts';

const faultTexts = allArmedFaults.map(formatFault);
const faultText = z.string().refine((value) => faultTexts.includes(value), {
  error: (issue) => `unknown fault "${String(issue.input)}"; known: ${faultTexts.join(', ')}`,
});
const killText = z.string().refine((value) => parseKill(value) !== undefined, {
  error: (issue) =>
    `unknown kill point "${String(issue.input)}"; known: ${killPointNames.join(', ')}, each with +${recoveryPoints.join(', +')} where recovery is killed too`,
});
const oneOrAll = <T extends z.ZodType>(item: T) =>
  z.union([z.literal('all'), z.array(item).min(1)]);

export const sliceSchema = z.strictObject({
  gates: z.array(z.string().min(1)).min(1),
  targets: z.array(z.string().min(1)).min(1),
  kills: oneOrAll(killText),
  faults: oneOrAll(faultText),
  worlds: z.array(z.enum(worldEvents)).min(1),
  callers: oneOrAll(z.enum(callerBehaviours)),
  trialsPerCell: z.number().int().min(1).max(10_000),
});

export const matrixSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'a name is lower-case letters, digits and dashes'),
  title: z.string().min(1),
  seed: z.number().int().min(0).max(0xffff_ffff),
  slices: z.array(sliceSchema).min(1),
  /** Cells left out on purpose; `match` is a prefix of the cell's id. */
  exclusions: z.array(
    z.strictObject({
      match: z.string().min(1),
      reason: z.string().min(1),
      link: z.string().min(1),
    }),
  ),
  /** How many cells the reachability function rules out; a change of this number is a change of the plan. */
  cannotMeet: z.number().int().nonnegative(),
});
export type Matrix = z.infer<typeof matrixSchema>;
export type MatrixSlice = z.infer<typeof sliceSchema>;

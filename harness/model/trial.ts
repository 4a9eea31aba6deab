/**
 * What one trial is, written to disk before anything is spawned. Everything a checker may use
 * besides the history stands here.
 */
import { z } from 'zod';
import { type ArmedFault, callerBehaviours, faultNames, phaseNames, worldEvents } from './cell.ts';
import { findingNames } from './findings.ts';
import { jsonObject } from './json.ts';
import { allKillPoints, recoveryPoints } from './kill-points.ts';
import { declarationSchema } from './protocol.ts';
import { ruleNames } from './rules.ts';

const armedFaultSchema = z.union([
  z.strictObject({ fault: z.literal('none') }),
  z.strictObject({ fault: z.enum(faultNames).exclude(['none']), phase: z.enum(phaseNames) }),
]) satisfies z.ZodType<ArmedFault>;

export const cellSchema = z.strictObject({
  gate: z.string(),
  target: z.string(),
  kill: z.enum(allKillPoints),
  recoveryKills: z.array(z.enum(recoveryPoints)).readonly(),
  paused: z.literal(true).optional(),
  rivalAt: z.enum(recoveryPoints).optional(),
  fault: armedFaultSchema,
  world: z.enum(worldEvents),
  caller: z.enum(callerBehaviours),
});

export const trialSpecSchema = z.strictObject({
  format: z.literal(1),
  id: z.string(),
  cell: cellSchema,
  trial: z.number().int().positive(),
  /** 32 bits; everything drawn in the trial comes from it. */
  seed: z.number().int().nonnegative(),
  /** The subject's command, and the rules its gate is known to lack. */
  gate: z.strictObject({ command: z.array(z.string()), lacks: z.array(z.enum(ruleNames)) }),
  /** Options of the target and of its rail; never credentials. */
  target: z.strictObject({ options: jsonObject, railOptions: jsonObject }),
  declaration: declarationSchema,
  /** What must be found, declared with the part that was broken on purpose; absent: derived from what the gate lacks. */
  expected: z.array(z.enum(findingNames)).optional(),
  draws: z.strictObject({
    /** Seed of the rail's examples: amounts, names. */
    examples: z.number().int().nonnegative(),
    /** How long a late request is held beyond the event it waits for. */
    holdMs: z.number().int().nonnegative(),
    /** Wait between the point being reached and the kill. */
    killJitterMs: z.number().int().nonnegative(),
    stormOverlapsRecovery: z.boolean(),
    /** Where a late request and a fence race: whether the request comes first. */
    lateBeforeLook: z.boolean(),
    /** Which of the ways to lose a reply is taken: the remainder by their number. */
    lostReply: z.number().int().nonnegative(),
  }),
  /** Deadlines; each is a bound on an event, never a pause. */
  bounds: z.strictObject({
    readyMs: z.number().int().positive(),
    answerMs: z.number().int().positive(),
    drainMs: z.number().int().positive(),
    settleMs: z.number().int().positive(),
  }),
});
export type TrialSpec = z.infer<typeof trialSpecSchema>;

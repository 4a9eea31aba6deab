/**
 * Schemas of what a subject may say. The types stand in `gate/protocol.ts`; the last lines here fail
 * to compile when the two differ.
 */
import { z } from 'zod';
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { AnnouncedPoint, Outcome } from '../../gate/gate.ts';
import type { HarnessMessage, SubjectMessage } from '../../gate/protocol.ts';
import { jsonObject, jsonValue } from './json.ts';

export const announcedPoints = [
  'before_wal',
  'after_wal_before_call',
  'after_call_before_commit',
  'after_commit_before_ack',
  'recovery:owned',
  'recovery:before-lookup',
  'recovery:after-lookup',
  'recovery:before-resend',
  'recovery:before-settle',
] as const;
export const announcedPointSchema = z.enum(announcedPoints);

const durationMs = z.number().int().nonnegative();
const text = z.string().max(100_000);

export const declarationSchema = z.strictObject({
  dedupe: z.union([
    z.null(),
    z.strictObject({ windowMs: z.union([durationMs, z.literal('forever')]) }),
  ]),
  onceByState: z.boolean(),
  guardsPremises: z.boolean(),
  lookup: z.union([z.null(), z.strictObject({ lagMs: durationMs, seesDeletions: z.boolean() })]),
  absence: z.union([
    z.literal('fence'),
    z.literal('never'),
    z.strictObject({ landingBoundMs: durationMs }),
  ]),
  storedErrorFinal: z.boolean(),
  noReturnMark: z.boolean(),
  premises: z.array(z.enum(['value-equals', 'version-unchanged'])).readonly(),
  clientTimeoutMs: durationMs,
});

export const receiptSchema = z.strictObject({
  decisionKey: text,
  payloadHash: text,
  state: text,
  entityId: text.nullable(),
  facts: z.strictObject({
    proposed: z.boolean(),
    authorized: z.boolean(),
    executed: z.enum(['yes', 'no', 'unknown']),
    recorded: z.boolean(),
  }),
  chainSeq: z.number().int(),
  chainHash: text,
});

const outcomeShape = {
  outcome: z.enum(['happened', 'absent', 'refused', 'unknown']),
  disposition: z.enum(['settled', 'working', 'surfaced']),
  final: z.boolean(),
  state: text.nullable(),
  entityId: text.nullable(),
  attempts: z.number().int().nonnegative(),
  evidence: text,
  receipt: receiptSchema.nullable(),
};
export const outcomeSchema = z.strictObject(outcomeShape);

export const readyMessageSchema = z.strictObject({
  type: z.literal('ready'),
  pid: z.number().int().positive(),
  name: text,
  version: text,
  capabilities: z.strictObject({
    points: z.array(announcedPointSchema),
    resolve: z.boolean(),
    looks: z.number().int().nonnegative().optional(),
    ask: z.boolean().optional(),
    leavesOut: z
      .array(z.enum(['premises', 'caps', 'distinct']))
      .readonly()
      .optional(),
  }),
});
export const atMessageSchema = z.strictObject({
  type: z.literal('at'),
  point: announcedPointSchema,
  intent: text,
  attempt: z.number().int().nonnegative(),
  occurrence: z.number().int().positive(),
});
export const doneMessageSchema = z.strictObject({ type: z.literal('done'), re: z.number().int() });
export const outcomeMessageSchema = z.strictObject({
  type: z.literal('outcome'),
  re: z.number().int(),
  ...outcomeShape,
});

export const subjectMessageSchema = z.discriminatedUnion('type', [
  readyMessageSchema,
  atMessageSchema,
  doneMessageSchema,
  outcomeMessageSchema,
]);

/** What an endpoint can be spoken with. */
export const endpointProtocols = ['http', 'https', 'postgres', 'smtp', 'smtps', 'tcp'] as const;
const endpointSchema = z.strictObject({
  protocol: z.enum(endpointProtocols),
  host: text,
  port: z.number().int().positive(),
  caPem: text.exactOptional(),
});
const premiseSchema = z.strictObject({
  kind: z.enum(['value-equals', 'version-unchanged']),
  fact: text,
  value: jsonValue,
});
const messageId = z.number().int().nonnegative();

export const harnessMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    protocol: z.literal(1),
    ledger: text,
    target: z.strictObject({
      module: text,
      export: text,
      endpoint: endpointSchema,
      credentials: jsonObject,
      options: jsonObject,
    }),
    authority: z.strictObject({ url: text }),
    declaration: declarationSchema,
    clockOffsetMs: z.number().int(),
    armed: z.array(
      z.strictObject({ point: announcedPointSchema, occurrence: z.number().int().positive() }),
    ),
  }),
  z.strictObject({
    type: z.literal('submit'),
    id: messageId,
    requestId: text,
    request: jsonObject,
    lease: text,
    premises: z.array(premiseSchema),
  }),
  z.strictObject({ type: z.literal('recover'), id: messageId }),
  z.strictObject({ type: z.literal('ask'), id: messageId, request: jsonObject }),
  z.strictObject({
    type: z.literal('resolve'),
    id: messageId,
    request: jsonObject,
    resolution: z.strictObject({
      decision: z.enum(['happened', 'absent', 'approve', 'reject']),
      by: text,
      reason: text,
      entityId: text.exactOptional(),
    }),
  }),
  z.strictObject({ type: z.literal('clock'), offsetMs: z.number().int() }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('go') }),
]);

/** Both directions assignable: the schema says what the type says, no more and no less. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Loose<T> = T extends readonly (infer E)[]
  ? Loose<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Loose<T[K]> }
    : T;
true satisfies Same<(typeof announcedPoints)[number], AnnouncedPoint>;
true satisfies Same<Loose<z.infer<typeof subjectMessageSchema>>, Loose<SubjectMessage>>;
true satisfies Same<Loose<z.infer<typeof outcomeSchema>>, Loose<Outcome>>;
true satisfies Same<Loose<z.infer<typeof declarationSchema>>, Loose<TargetDeclaration>>;
true satisfies Same<Loose<z.infer<typeof harnessMessageSchema>>, Loose<HarnessMessage>>;

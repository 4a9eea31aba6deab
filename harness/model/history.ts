/**
 * The history of one trial: a header that holds the spec, numbered events in the order the harness
 * saw them, each with its witness, and a footer. One JSON object a line.
 */
import { z } from 'zod';
import { jsonObject } from './json.ts';
import { allKillPoints, recoveryPoints } from './kill-points.ts';
import { outcomeSchema, subjectMessageSchema } from './protocol.ts';
import { trialSpecSchema } from './trial.ts';

export const historyFormat = 1;

/** How many lines that are no messages a history quotes of one lifetime; there may have been more. */
export const nonsenseQuotedMost = 5;

export const journalEffectSchema = z.strictObject({
  entityId: z.string(),
  stamp: z.string().nullable(),
  actor: z.enum(['subject', 'person']),
  subject: z.string(),
  substance: jsonObject,
  atMs: z.number(),
});

const incarnation = z.number().int().positive();
const request = z.number().int().positive();
/** A point of an effect's life, or of its recovery. */
const placedPoint = z.union([
  z.enum(allKillPoints),
  z.enum(recoveryPoints.map((point) => `recovery:${point}` as const)),
]);
const observationName = z.enum(['O1', 'O2']);

const harnessEvents = [
  /** The trial's sequence, in order; each phase lasts until the next. */
  z.strictObject({
    type: z.literal('phase'),
    phase: z.enum(['prepare', 'first', 'outage', 'recovery', 'O1', 'caller', 'O2', 'collect']),
  }),
  /** The positive control: an effect made by the harness, looked for in the journal. */
  z.strictObject({
    type: z.literal('control'),
    entityId: z.string().nullable(),
    readBack: z.boolean(),
    detail: z.string(),
  }),
  z.strictObject({
    type: z.literal('spawned'),
    incarnation,
    pid: z.number().int(),
    role: z.enum(['first', 'recovery', 'storm', 'session', 'observer']),
  }),
  /** A message to the subject; credentials and tokens are left out. */
  z.strictObject({
    type: z.literal('sent'),
    incarnation,
    message: jsonObject,
    /** Which decision a submit asks for, by the harness's own label; absent: the first. */
    decision: z.literal('second').optional(),
  }),
  z.strictObject({
    type: z.literal('kill-armed'),
    incarnation,
    point: placedPoint,
    intent: z.string(),
    attempt: z.number().int(),
    occurrence: z.number().int().positive(),
  }),
  z.strictObject({
    type: z.literal('point-reached'),
    incarnation,
    point: placedPoint,
    by: z.enum(['announced', 'wire', 'rail']),
  }),
  z.strictObject({
    type: z.literal('kill-sent'),
    incarnation,
    pid: z.number().int(),
    signal: z.literal('SIGKILL'),
  }),
  z.strictObject({
    type: z.literal('exited'),
    incarnation,
    pid: z.number().int(),
    code: z.number().int().nullable(),
    signal: z.string().nullable(),
  }),
  /** Live processes of the group or with the token, after the exit; zombies are dead. */
  z.strictObject({ type: z.literal('survivors'), incarnation, pids: z.array(z.number().int()) }),
  /**
   * What changed in the world during the outage, by how much the clocks were moved, and what the harness
   * then saw for itself: whether the submitted premises hold, null where there are none, and what the
   * authority says of the lease.
   */
  z.strictObject({
    type: z.literal('world'),
    event: z.string(),
    clockOffsetMs: z.number().int(),
    premises: z.enum(['hold', 'stale', 'could-not-tell']).nullable(),
    authority: z.enum(['live', 'expired', 'dead', 'unreachable']),
  }),
  /** SIGSTOP instead of SIGKILL, and SIGCONT later: a paused process is alive and keeps what it owns. */
  z.strictObject({ type: z.literal('paused'), incarnation, pid: z.number().int() }),
  z.strictObject({ type: z.literal('resumed'), incarnation, pid: z.number().int() }),
  z.strictObject({ type: z.literal('fault-armed'), fault: z.string(), phase: z.string() }),
  /** Whether the dead sender's connections were all closed within the bound. */
  z.strictObject({ type: z.literal('drained'), incarnation, complete: z.boolean() }),
  /** Whether wire and rail fell silent within the bound. */
  z.strictObject({
    type: z.literal('settled'),
    observation: observationName,
    complete: z.boolean(),
    openOnWire: z.number().int(),
    railIdle: z.boolean(),
  }),
  z.strictObject({
    type: z.literal('subject-misbehaved'),
    incarnation,
    what: z.enum(['nonsense', 'flood', 'silent', 'died', 'wrong-pid', 'not-started', 'not-ready']),
    detail: z.string(),
  }),
  /** The harness could not go on; the trial proves nothing. */
  z.strictObject({ type: z.literal('harness-error'), code: z.string(), message: z.string() }),
] as const;

const gateEvents = [
  z.strictObject({ type: z.literal('said'), incarnation, message: subjectMessageSchema }),
  /** The subject's answer when asked; null when none came within its bound. */
  z.strictObject({
    type: z.literal('observed'),
    /** `second`: asked for the second decision, right after O2. */
    observation: z.enum(['O1', 'O2', 'second']),
    incarnation,
    outcome: outcomeSchema.nullable(),
  }),
] as const;

const wireEvents = [
  z.strictObject({
    type: z.literal('connection'),
    incarnation,
    connection: z.number().int(),
    what: z.enum(['opened', 'closed', 'refused']),
  }),
  /** The first byte of a request; `request` counts from 1 over the whole trial. */
  z.strictObject({
    type: z.literal('request-began'),
    incarnation,
    connection: z.number().int(),
    request,
  }),
  z.strictObject({
    type: z.literal('request-whole'),
    incarnation,
    request,
    method: z.string(),
    path: z.string(),
    mutating: z.boolean(),
    key: z.string().nullable(),
    bodySha256: z.string(),
  }),
  z.strictObject({ type: z.literal('held'), incarnation, request }),
  z.strictObject({ type: z.literal('forwarded'), incarnation, request }),
  /** The service's whole reply reached the wire. */
  z.strictObject({ type: z.literal('replied'), incarnation, request, status: z.number().int() }),
  /** A whole reply was handed on to the subject's connection; `byWire` when the wire made it up. */
  z.strictObject({
    type: z.literal('delivered'),
    incarnation,
    request,
    status: z.number().int(),
    byWire: z.boolean(),
  }),
  z.strictObject({ type: z.literal('dropped'), incarnation, request }),
  /** The fault took effect; `request` is null where it met a connection before any request. */
  z.strictObject({
    type: z.literal('fault-fired'),
    incarnation,
    fault: z.string(),
    request: request.nullable(),
  }),
  /** Half of the request was given to the service, and no more will be. */
  z.strictObject({ type: z.literal('forwarded-part'), incarnation, request }),
  /** A part of the service's reply was handed on, and no more will be. */
  z.strictObject({
    type: z.literal('delivered-part'),
    incarnation,
    request,
    bytes: z.number().int().positive(),
  }),
  /** Bytes that are no HTTP request were passed on untouched. */
  z.strictObject({ type: z.literal('opaque-bytes'), incarnation, connection: z.number().int() }),
] as const;

const railEvents = [
  /** A fault that only the rail can do took effect on a request of the subject's. */
  z.strictObject({ type: z.literal('rail-fault-fired'), fault: z.string() }),
  /** The service stands still over the subject's effect, and goes on with it. */
  z.strictObject({ type: z.literal('work-held') }),
  z.strictObject({ type: z.literal('work-released') }),
  z.strictObject({
    type: z.literal('journal'),
    observation: observationName,
    effects: z.array(journalEffectSchema),
  }),
] as const;

/** What an observer saw, before it is numbered. */
export const observedEventSchema = z.discriminatedUnion('type', [
  ...harnessEvents,
  ...gateEvents,
  ...wireEvents,
  ...railEvents,
]);
export type ObservedEvent = z.infer<typeof observedEventSchema>;
export type EventType = ObservedEvent['type'];

export const witnesses = ['harness', 'gate', 'wire', 'rail'] as const;
export type Witness = (typeof witnesses)[number];

/** Who vouches for an event follows from its type. */
export const witnessOf: Readonly<Record<EventType, Witness>> = {
  phase: 'harness',
  control: 'harness',
  spawned: 'harness',
  sent: 'harness',
  'kill-armed': 'harness',
  'point-reached': 'harness',
  'kill-sent': 'harness',
  exited: 'harness',
  survivors: 'harness',
  paused: 'harness',
  resumed: 'harness',
  world: 'harness',
  'fault-armed': 'harness',
  drained: 'harness',
  settled: 'harness',
  'subject-misbehaved': 'harness',
  'harness-error': 'harness',
  said: 'gate',
  observed: 'gate',
  connection: 'wire',
  'request-began': 'wire',
  'request-whole': 'wire',
  held: 'wire',
  forwarded: 'wire',
  replied: 'wire',
  delivered: 'wire',
  dropped: 'wire',
  'forwarded-part': 'wire',
  'delivered-part': 'wire',
  'fault-fired': 'wire',
  'opaque-bytes': 'wire',
  journal: 'rail',
  'work-held': 'rail',
  'work-released': 'rail',
  'rail-fault-fired': 'rail',
};

export const historyEventSchema = z.strictObject({
  /** From 1, without gaps. */
  n: z.number().int().positive(),
  /** Milliseconds since the trial began, monotonic. */
  atMs: z.number().nonnegative(),
  witness: z.enum(witnesses),
  event: observedEventSchema,
});
export type HistoryEvent = z.infer<typeof historyEventSchema>;

export const historyLineSchema = z.union([
  z.strictObject({
    header: z.strictObject({ format: z.literal(historyFormat), spec: trialSpecSchema }),
  }),
  historyEventSchema,
  z.strictObject({ footer: z.strictObject({ events: z.number().int().nonnegative() }) }),
]);

export interface History {
  readonly spec: z.infer<typeof trialSpecSchema>;
  readonly events: readonly HistoryEvent[];
  /** False when the footer is missing, events are missing or a line can't be read. */
  readonly complete: boolean;
  /** Why it is not complete. */
  readonly gap: string | null;
}

/**
 * What the baselines have in common: a job, how requests become one, and what is said of it. In: a
 * caller's request. Out: a row's fields, an outcome. Nothing here sends or stores.
 */
import canonicalize from 'canonicalize';
import {
  type EffectIdentity,
  type EffectTarget,
  InvalidRequestError,
  type JsonObject,
  type JsonValue,
} from '../../adapters/target.ts';
import type { AnnouncedPoint, Outcome, Proposal } from '../gate.ts';

export interface Job {
  readonly id: string;
  /** What is sent: the request without `distinct`, in canonical JSON. */
  readonly request: string;
  /** What sets a second, equal job apart, in canonical JSON; null where nothing does. */
  readonly distinct_by: string | null;
  readonly request_id: string;
  readonly lease: string;
  readonly premises: string;
  /** Counted before anything goes over the wire. */
  readonly attempts: number;
  readonly state: 'pending' | 'done' | 'refused' | 'parked';
  readonly entity_id: string | null;
  readonly evidence: string;
}

/** The points of a gate that has none in recovery. */
export const jobPoints: readonly AnnouncedPoint[] = [
  'before_wal',
  'after_wal_before_call',
  'after_call_before_commit',
  'after_commit_before_ack',
];

/** What makes two requests the same job. */
export type JobNaming = (identity: EffectIdentity, distinctBy: string | null) => string;

export type NewJob = Omit<Job, 'attempts' | 'state' | 'entity_id' | 'evidence'>;

/** Throws InvalidRequestError. */
export function newJob(target: EffectTarget, naming: JobNaming, proposal: Proposal): NewJob {
  const { request, distinctBy } = splitRequest(proposal.request);
  return {
    id: naming(target.identify(request), distinctBy),
    request: canonicalJson(request),
    distinct_by: distinctBy,
    request_id: proposal.requestId,
    lease: proposal.lease,
    premises: canonicalJson(proposal.premises),
  };
}

export function jobIdOf(target: EffectTarget, naming: JobNaming, asked: JsonObject): string {
  const { request, distinctBy } = splitRequest(asked);
  return naming(target.identify(request), distinctBy);
}

export function readRequest(job: Job): JsonObject {
  return JSON.parse(job.request) as JsonObject;
}

export function describeJob(job: Job | undefined): Outcome {
  return {
    ...standingOf(job?.state),
    state: job?.state ?? null,
    entityId: job?.entity_id ?? null,
    attempts: job?.attempts ?? 0,
    evidence: job?.evidence ?? 'there is no such job',
    receipt: null,
  };
}

function standingOf(
  state: Job['state'] | undefined,
): Pick<Outcome, 'outcome' | 'disposition' | 'final'> {
  switch (state) {
    case undefined:
      return { outcome: 'absent', disposition: 'settled', final: false };
    case 'pending':
      return { outcome: 'unknown', disposition: 'working', final: false };
    case 'parked':
      return { outcome: 'unknown', disposition: 'surfaced', final: false };
    case 'done':
      return { outcome: 'happened', disposition: 'settled', final: true };
    case 'refused':
      return { outcome: 'refused', disposition: 'settled', final: true };
    default:
      return state satisfies never;
  }
}

/** `distinct` is between the caller and the gate: the service has no such field. */
function splitRequest(asked: JsonObject): { request: JsonObject; distinctBy: string | null } {
  const { distinct, ...request } = asked;
  return { request, distinctBy: distinct === undefined ? null : canonicalJson(distinct) };
}

function canonicalJson(value: JsonValue | readonly object[]): string {
  const text = canonicalize(value);
  if (text === undefined) throw new InvalidRequestError('expected a request that is JSON');
  return text;
}

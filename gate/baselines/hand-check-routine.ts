/**
 * What a careful engineer does before every call, after a restart as before one: ask the service
 * whether the effect is there, then ask whether it is still allowed and whether the facts still
 * hold. What is not allowed any more is refused, and stays so.
 */
import { createHash } from 'node:crypto';
import type { JsonObject, Premise } from '../../adapters/target.ts';
import type { SubjectContext } from '../subject.ts';
import { type Job, readRequest } from './job.ts';
import type { Routine, Tried } from './job-table.ts';

export const handCheck: Routine = {
  // Whoever approved it, and for which reason, makes it another job; how much it is does not.
  naming: ({ target, account, operation, subject, keyFields }, distinctBy) =>
    createHash('sha256')
      .update(JSON.stringify([target, account, operation, subject, keyFields, distinctBy]))
      .digest('hex'),
  keyFor: (job) => job.id,
  bindsRequest: true,
  takesRefusals: true,
  beforeCall: async (context, job) =>
    (await lookUp(context, job)) ??
    (await checkLease(context, job)) ??
    (await checkPremises(context, job)),
};

async function lookUp({ target }: SubjectContext, job: Job): Promise<Tried | null> {
  const seen = await target.query?.({ key: handCheck.keyFor(job), request: readRequest(job) });
  switch (seen?.kind) {
    case undefined:
    case 'absent':
      return null;
    case 'found':
      return { kind: 'done', entityId: seen.entityId, evidence: 'found at the service' };
    case 'many': {
      const [entityId = ''] = seen.entityIds;
      return { kind: 'done', entityId, evidence: `found at the service: ${seen.entityIds}` };
    }
    case 'could-not-tell':
      return { kind: 'again', evidence: `the service could not be asked: ${seen.detail}` };
    default:
      return seen satisfies never;
  }
}

/** An authority that can't be reached answers that the lease is dead. */
async function checkLease({ authority, now }: SubjectContext, job: Job): Promise<Tried | null> {
  const lease = await authority.check(job.lease);
  if (lease.kind === 'dead') return refused(`the lease is dead: ${lease.reason}`);
  if (lease.expiresAtMs !== null && lease.expiresAtMs <= now()) {
    return refused('the lease has expired');
  }
  const reason = statedReason(job);
  return reason === null || lease.coversReasons.includes(reason)
    ? null
    : refused(`the lease does not cover the reason "${reason}"`);
}

async function checkPremises({ target }: SubjectContext, job: Job): Promise<Tried | null> {
  const premises = JSON.parse(job.premises) as readonly Premise[];
  if (premises.length === 0) return null;
  const check = await target.validate(readRequest(job), premises, handCheck.keyFor(job));
  switch (check.kind) {
    case 'hold':
      return null;
    case 'stale':
      return refused(`${check.fact} is no longer what it was`);
    case 'could-not-tell':
      return { kind: 'again', evidence: `the facts could not be read: ${check.detail}` };
    default:
      return check satisfies never;
  }
}

function statedReason({ distinct_by: distinctBy }: Job): string | null {
  if (distinctBy === null) return null;
  const distinct = JSON.parse(distinctBy) as string | JsonObject;
  const reason = typeof distinct === 'object' ? distinct.reason : undefined;
  return typeof reason === 'string' ? reason : null;
}

function refused(evidence: string): Tried {
  return { kind: 'refused', evidence };
}

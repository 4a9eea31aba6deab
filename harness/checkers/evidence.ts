/**
 * Whether the service's own replies decided a claim: the evidence that lets a gate settle where the
 * table, which knows nothing of replies, allows only an unknown. Pure.
 */
import type { Claim } from '../model/expectation.ts';
import type { Facts, ObservationName } from './facts.ts';
import { mutatingRequests, provenBy, type WireRequest } from './requests.ts';

/**
 * A 2xx decides that it happened; a definite refusal of every attempt decides that it did not. Only
 * replies that reached an incarnation which lived to record them, up to the observation's phase, and
 * none to a request that left for the other decision.
 */
export function decidedByReplies(
  facts: Facts,
  observation: ObservationName,
  claim: Exclude<Claim, 'U' | 'W'>,
): boolean {
  const upTo = facts.observations[observation].stage ?? -1;
  const proofs = mutatingRequests(facts)
    .filter((request) => request.began.stage <= upTo)
    .filter((request) => isForSecond(facts, request) === (observation === 'second'))
    .map((request) =>
      request.delivered !== null && request.delivered.stage <= upTo
        ? provenBy(facts, request)
        : null,
    );
  switch (claim) {
    case 'H':
      return proofs.includes('happened');
    case 'A':
    case 'R':
      return proofs.length > 0 && proofs.every((proof) => proof === 'no-effect');
    default:
      return claim satisfies never;
  }
}

/** Nothing but the second decision was being asked of its process when it left. */
function isForSecond(facts: Facts, { incarnation, began }: WireRequest): boolean {
  const open = facts.invitations.filter(
    (invitation) =>
      invitation.incarnation === incarnation &&
      invitation.sent.n < began.n &&
      (invitation.ended === null || began.n < invitation.ended.n),
  );
  return open.length > 0 && open.every(({ decision }) => decision === 'second');
}

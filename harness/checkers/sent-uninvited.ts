/**
 * After recovery is done nothing leaves without a submit, or another recover, that is still waiting
 * for its answer. Inside one process the order of events decides. A message to another process counts
 * as an invitation wherever their phases overlap: two processes may share the ledger, and the order
 * of their events proves nothing.
 */
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { mutatingRequests, type WireRequest } from './requests.ts';
import { phaseRank } from './seen.ts';

export const sentUninvited: Checker = {
  finding: 'sent-uninvited',
  check: (_spec, facts) =>
    mutatingRequests(facts)
      .filter((request) => isAfterRecovery(facts, request) && !isInvited(facts, request))
      .map((request) => ({
        finding: 'sent-uninvited',
        message: `request ${request.request} of incarnation ${request.incarnation} began after recovery was done (phase ${request.phase}), expected a submit or recover that waits for its answer, there was none`,
        events: [request.began],
      })),
};

function isAfterRecovery(facts: Facts, request: WireRequest): boolean {
  return facts.invitations.some(({ kind, incarnation, answered }) => {
    if (kind !== 'recover' || answered === null) return false;
    return incarnation === request.incarnation
      ? answered.n < request.began
      : phaseRank(answered.phase) < phaseRank(request.phase);
  });
}

function isInvited(facts: Facts, request: WireRequest): boolean {
  return facts.invitations.some(({ incarnation, sent, ended }) => {
    if (incarnation === request.incarnation) {
      return sent.n < request.began && (ended === null || request.began < ended.n);
    }
    const at = phaseRank(request.phase);
    return phaseRank(sent.phase) <= at && (ended === null || at <= phaseRank(ended.phase));
  });
}

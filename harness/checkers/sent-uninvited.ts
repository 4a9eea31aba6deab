/**
 * After recovery is done nothing leaves without a submit, or another recover, that is still waiting
 * for its answer. Inside one process the order of events decides. A message to another process that
 * lived at the same time counts as an invitation wherever their phases overlap: the two share the
 * ledger, and the order of their events proves nothing.
 *
 * Where somebody stands still over the decision, alive, nobody else is invited by anything: whoever was
 * started beside it sends nothing at all. What the one who stands had been asked for, it may go on with.
 */
import type { Finding } from '../model/findings.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { mutatingRequests, type WireRequest } from './requests.ts';
import { eventsOfIncarnation } from './seen.ts';
import { readStanding } from './standing-still.ts';

export const sentUninvited: Checker = {
  finding: 'sent-uninvited',
  check: (spec, facts) => {
    const besideOwner = sentBesideOwner(spec, facts);
    const blamed = new Set(besideOwner.flatMap(({ events }) => events));
    const uninvited = mutatingRequests(facts)
      .filter((request) => isAfterRecovery(facts, request) && !isInvited(facts, request))
      .filter(({ began }) => !blamed.has(began.n))
      .map(
        (request): Finding => ({
          finding: 'sent-uninvited',
          message: `request ${request.request} of incarnation ${request.incarnation} began after recovery was done (phase ${request.began.phase}), expected a submit or recover that waits for its answer, there was none`,
          events: [request.began.n],
        }),
      );
    return [...besideOwner, ...uninvited];
  },
};

function sentBesideOwner(spec: TrialSpec, facts: Facts): readonly Finding[] {
  const standing = readStanding(spec, facts);
  if (standing === null) return [];
  return mutatingRequests(facts)
    .filter(({ incarnation }) => standing.beside.includes(incarnation))
    .map(
      ({ request, incarnation, began }): Finding => ({
        finding: 'sent-uninvited',
        message: `request ${request} of incarnation ${incarnation} began in phase ${began.phase}; expected it to send nothing, since incarnation ${standing.incarnation} stood at ${standing.reached.event.point}, alive, and owns the work`,
        events: [began.n],
      }),
    );
}

function isAfterRecovery(facts: Facts, request: WireRequest): boolean {
  return facts.invitations.some(({ kind, incarnation, answered }) => {
    if (kind !== 'recover' || answered === null) return false;
    return incarnation === request.incarnation
      ? answered.n < request.began.n
      : answered.stage < request.began.stage;
  });
}

function isInvited(facts: Facts, request: WireRequest): boolean {
  return facts.invitations.some(({ incarnation, sent, ended }) => {
    if (incarnation === request.incarnation) {
      return sent.n < request.began.n && (ended === null || request.began.n < ended.n);
    }
    const { stage } = request.began;
    return (
      liveTogether(facts, incarnation, request.incarnation) &&
      sent.stage <= stage &&
      (ended === null || stage <= ended.stage)
    );
  });
}

function liveTogether(facts: Facts, left: number, right: number): boolean {
  return startsBeforeEnd(facts, left, right) && startsBeforeEnd(facts, right, left);
}

function startsBeforeEnd(facts: Facts, starting: number, ending: number): boolean {
  const spawned = eventsOfIncarnation(facts, 'spawned', starting)[0];
  const exited = eventsOfIncarnation(facts, 'exited', ending)[0];
  return spawned === undefined || exited === undefined || spawned.n < exited.n;
}

/** No mutating request leaves before its attempt is in the ledger. */
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { attemptsKnown, type Facts, type Observation } from './facts.ts';
import { mutatingRequests, type WireRequest } from './requests.ts';

export const sentBeforeRecorded: Checker = {
  finding: 'sent-before-recorded',
  check: (_spec, facts) =>
    (['O1', 'O2'] as const).flatMap((name): Finding[] => {
      const sent = sentUnrecorded(facts, facts.observations[name]);
      if (sent.length === 0) return [];
      const message = `at ${name} the gate reports 0 attempts, ${sent.length} mutating request(s) were on the wire before it`;
      return [
        {
          finding: 'sent-before-recorded',
          message,
          events: [...sent.map((request) => request.began.n), ...facts.observations[name].events],
        },
      ];
    }),
};

/** Requests of the phases before an observation at which the gate knows of no attempt. */
export function sentUnrecorded(facts: Facts, observation: Observation): readonly WireRequest[] {
  if (attemptsKnown(facts, observation.name) !== 0) return [];
  const limit = observation.stage ?? 0;
  return mutatingRequests(facts).filter((request) => request.began.stage < limit);
}

/** No mutating request leaves before its attempt is in the ledger. */
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { type Facts, type Observation, observationNames } from './facts.ts';
import { mutatingRequests, type WireRequest } from './requests.ts';

export const sentBeforeRecorded: Checker = {
  finding: 'sent-before-recorded',
  check: (_spec, facts) =>
    observationNames.flatMap((name): Finding[] => {
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
  if (observation.outcome === null || observation.outcome.attempts > 0) return [];
  const limit = observation.stage ?? 0;
  return mutatingRequests(facts).filter((request) => request.began.stage < limit);
}

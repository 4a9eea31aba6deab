/**
 * The recorded request is refused only where something stands against it: the expectation allows a
 * refusal, or the service itself refused every attempt.
 */
import { formatEndings } from '../model/expectation.ts';
import type { Finding } from '../model/findings.ts';
import { whatEnds } from '../model/mandate.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Checker } from './checker.ts';
import { decidedByReplies } from './evidence.ts';
import { type Facts, observationNames, sameJson } from './facts.ts';

export const needlessRefusal: Checker = {
  finding: 'needless-refusal',
  check: (spec, facts) => [...refusedAtObservations(spec, facts), ...refusedCallers(spec, facts)],
};

/** Once the authority is gone or a premise stale, only what is known to have happened is refused needlessly. */
function somethingStandsAgainst(spec: TrialSpec, { expectation }: Facts): boolean {
  if (whatEnds(spec.declaration, spec.cell.world) === 'nothing') return false;
  const endings = expectation.kind === 'reachable' ? [...expectation.o1, ...expectation.o2] : [];
  return endings.some(({ claim }) => claim !== 'H');
}

function refusedAtObservations(spec: TrialSpec, facts: Facts): readonly Finding[] {
  return observationNames.flatMap((name): Finding[] => {
    const { allowed, claim, events } = facts.observations[name];
    if (claim !== 'R' || allowed.length === 0) return [];
    if (somethingStandsAgainst(spec, facts)) return [];
    if (allowed.some((ending) => ending.claim === 'R') || decidedByReplies(facts, name, 'R')) {
      return [];
    }
    const message = `at ${name} expected ${formatEndings(allowed)}, the gate says refused`;
    return [{ finding: 'needless-refusal', message, events }];
  });
}

/** A refused caller who asked for something else got what the table demands. */
function refusedCallers(spec: TrialSpec, facts: Facts): readonly Finding[] {
  const { expectation, submits } = facts;
  if (expectation.kind !== 'reachable' || decidedByReplies(facts, 'O2', 'R')) return [];
  const endings = [...expectation.o1, ...expectation.o2];
  if (somethingStandsAgainst(spec, facts)) return [];
  const mayRefuse =
    endings.some((ending) => ending.claim === 'R') ||
    (spec.cell.caller !== 'changed-amount' && expectation.answers.includes('R'));
  if (mayRefuse) return [];
  const first = submits[0]?.request;
  return submits.flatMap(({ request, answer, sent }): Finding[] => {
    if (answer?.outcome.outcome !== 'refused' || answer.outcome.disposition === 'surfaced') {
      return [];
    }
    if (!sameJson(request, first)) return [];
    const message = `the caller asked for the recorded request again and was refused (phase ${answer.phase}): ${answer.outcome.evidence}`;
    return [{ finding: 'needless-refusal', message, events: [sent.n, answer.n] }];
  });
}

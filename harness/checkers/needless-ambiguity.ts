/** A person is asked only what the evidence at hand could not decide. */
import { formatEndings } from '../model/expectation.ts';
import type { Checker } from './checker.ts';
import { formatOutcome, observationNames } from './facts.ts';

export const needlessAmbiguity: Checker = {
  finding: 'needless-ambiguity',
  check: (_spec, facts) =>
    observationNames.flatMap((name) => {
      const { allowed, claim, outcome, events } = facts.observations[name];
      if (outcome === null || claim !== 'U' || allowed.length === 0) return [];
      if (allowed.some((ending) => ending.claim === 'U')) return [];
      const message = `at ${name} expected ${formatEndings(allowed)}, the gate says ${formatOutcome(outcome)}: ${outcome.evidence}`;
      return [{ finding: 'needless-ambiguity', message, events }];
    }),
};

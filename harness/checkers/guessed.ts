/** Nothing is settled that the evidence could not decide, however lucky the guess. */
import { formatEndings } from '../model/expectation.ts';
import type { Checker } from './checker.ts';
import { decidedByReplies } from './evidence.ts';
import { formatOutcome, observationNames } from './facts.ts';

export const guessed: Checker = {
  finding: 'guessed',
  check: (_spec, facts) =>
    observationNames.flatMap((name) => {
      const { allowed, claim, outcome, events } = facts.observations[name];
      const onlyUnknown = allowed.length > 0 && allowed.every((ending) => ending.claim === 'U');
      if (!onlyUnknown || outcome === null || claim === null || claim === 'U') return [];
      if (decidedByReplies(facts, name, claim)) return [];
      const message = `at ${name} nothing decided what happened, expected ${formatEndings(allowed)}, the gate says ${formatOutcome(outcome)}: ${outcome.evidence}`;
      return [{ finding: 'guessed', message, events }];
    }),
};

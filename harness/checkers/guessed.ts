/** Nothing is settled that the evidence could not decide, however lucky the guess. */
import { formatEndings } from '../model/expectation.ts';
import type { Checker } from './checker.ts';
import { decidedByReplies } from './evidence.ts';
import { formatOutcome, observationNames } from './facts.ts';

export const guessed: Checker = {
  finding: 'guessed',
  check: (_spec, facts) =>
    observationNames.flatMap((name) => {
      const { allowed, claim, effects, outcome, events } = facts.observations[name];
      if (
        allowed.length === 0 ||
        outcome === null ||
        claim === null ||
        claim === 'U' ||
        claim === 'W'
      )
        return [];
      const onlyUnknown = allowed.every((ending) => ending.claim === 'U');
      // After recovery, an absence where the service had to be asked first is a guess also when it turns
      // out true; when it turns out false it is a silent loss, and after the caller a lost effect.
      const prematureAbsence =
        name === 'O1' &&
        claim === 'A' &&
        effects?.length === 0 &&
        allowed.every((ending) => ending.claim !== 'A');
      if (!onlyUnknown && !prematureAbsence) return [];
      if (decidedByReplies(facts, name, claim)) return [];
      const message = `at ${name} nothing decided that, expected ${formatEndings(allowed)}, the gate says ${formatOutcome(outcome)}: ${outcome.evidence}`;
      return [{ finding: 'guessed', message, events }];
    }),
};

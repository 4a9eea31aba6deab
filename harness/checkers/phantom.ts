/**
 * What is said to have happened is in the journal. An effect that was there and was undone later is
 * another matter, so the second observation and the callers' answers look at both journals.
 */
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { everHeldEffect, type Facts, observationNames } from './facts.ts';

export const phantom: Checker = {
  finding: 'phantom',
  check: (_spec, facts) => [...phantomObservations(facts), ...phantomAnswers(facts)],
};

function phantomObservations(facts: Facts): readonly Finding[] {
  return observationNames.flatMap((name): Finding[] => {
    const { outcome, effects, events } = facts.observations[name];
    if (outcome?.outcome !== 'happened' || effects === null) return [];
    const held = name === 'O2' ? everHeldEffect(facts) : effects.length > 0;
    if (held) return [];
    const message = `at ${name} the gate says happened, the journal never held the effect`;
    return [{ finding: 'phantom', message, events }];
  });
}

function phantomAnswers(facts: Facts): readonly Finding[] {
  if (facts.observations.O2.effects === null || everHeldEffect(facts)) return [];
  return facts.submits.flatMap(({ answer }): Finding[] => {
    if (answer?.outcome.outcome !== 'happened') return [];
    const message = `a caller was told happened (phase ${answer.phase}), the journal never held the effect`;
    return [{ finding: 'phantom', message, events: [answer.n, ...facts.observations.O2.events] }];
  });
}

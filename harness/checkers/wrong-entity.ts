/**
 * The entity on record is one this intent made. Without any effect there is nothing to confuse, and
 * a gate that names no entity confuses nothing.
 */
import type { Outcome } from '../../gate/gate.ts';
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { type Facts, formatEffects, type JournalEffect, observationNames } from './facts.ts';

export const wrongEntity: Checker = {
  finding: 'wrong-entity',
  check: (_spec, facts) => [...wrongAtObservations(facts), ...wrongAnswers(facts)],
};

function wrongAtObservations(facts: Facts): readonly Finding[] {
  return observationNames.flatMap((name): Finding[] => {
    const { outcome, effects, events } = facts.observations[name];
    if (outcome === null || !namesAnother(outcome, effects ?? [])) return [];
    const message = `at ${name} the gate names ${outcome.entityId}, the journal holds ${formatEffects(effects ?? [])}`;
    return [{ finding: 'wrong-entity', message, events }];
  });
}

function wrongAnswers(facts: Facts): readonly Finding[] {
  const { O1, O2 } = facts.observations;
  const effects = [...(O1.effects ?? []), ...(O2.effects ?? [])];
  return facts.submits.flatMap(({ answer }): Finding[] => {
    if (answer === null || O2.effects === null || !namesAnother(answer.outcome, effects)) return [];
    const message = `a caller was told ${answer.outcome.entityId} (phase ${answer.phase}), the journal holds ${formatEffects(O2.effects)}`;
    return [{ finding: 'wrong-entity', message, events: [answer.n, ...O2.events] }];
  });
}

function namesAnother(outcome: Outcome, effects: readonly JournalEffect[]): boolean {
  return (
    outcome.outcome === 'happened' &&
    outcome.entityId !== null &&
    effects.length > 0 &&
    effects.every((effect) => effect.entityId !== outcome.entityId)
  );
}

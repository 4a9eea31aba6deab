/**
 * What took effect, and what a caller is told took effect, is what was asked for first. A subject
 * that joins a changed request to the recorded one has told its caller a lie about the amount.
 */
import type { JsonObject } from '../../adapters/target.ts';
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { type Facts, observationNames, sameJson } from './facts.ts';

export const wrongSubstance: Checker = {
  finding: 'wrong-substance',
  check: (_spec, facts) => {
    const first = facts.submits[0];
    if (first === undefined) return [];
    return [...wrongEffects(facts, first.request), ...wrongAnswers(facts, first.request)];
  },
};

function wrongEffects(facts: Facts, first: JsonObject): readonly Finding[] {
  return observationNames.flatMap((name) => {
    const { effects, events } = facts.observations[name];
    // A second decision may be about another thing, and of another substance.
    const recorded = name === 'second' ? (facts.secondRequest ?? first) : first;
    return (effects ?? []).flatMap(({ entityId, substance }): Finding[] => {
      const wrong = Object.keys(substance).filter(
        (field) => !sameJson(substance[field], recorded[field]),
      );
      if (wrong.length === 0) return [];
      const differences = wrong.map(
        (field) => `${field} ${show(recorded[field])}, got ${show(substance[field])}`,
      );
      const message = `at ${name} expected ${entityId} as first requested: ${differences.join('; ')}`;
      return [{ finding: 'wrong-substance', message, events }];
    });
  });
}

function wrongAnswers(facts: Facts, recorded: JsonObject): readonly Finding[] {
  return facts.submits.flatMap(({ request, answer, sent }): Finding[] => {
    if (answer?.outcome.outcome !== 'happened' || sameJson(request, recorded)) return [];
    const message = `a caller asked for ${show(request)} where ${show(recorded)} was recorded first (phase ${answer.phase}), expected no "happened", got it`;
    return [{ finding: 'wrong-substance', message, events: [sent.n, answer.n] }];
  });
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

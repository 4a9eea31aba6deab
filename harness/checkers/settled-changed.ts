/**
 * What was settled as happened or refused stays so, with the same entity, unless a person resolved
 * it. What is said of a changed request changes nothing about the recorded one.
 */
import type { Outcome } from '../../gate/gate.ts';
import type { Finding } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { type Facts, formatOutcome, sameJson } from './facts.ts';
import { eventsOf } from './seen.ts';

export const settledChanged: Checker = {
  finding: 'settled-changed',
  check: (_spec, facts) => {
    const first = facts.submits[0]?.request;
    const resolved = eventsOf(facts, 'sent').some(
      ({ event }) => event.message.type === 'resolve' && sameJson(event.message.request, first),
    );
    const last = facts.observations.O2.outcome;
    if (resolved || last === null) return [];
    return [...changedSinceO1(facts, last), ...changedSinceAnswer(facts, last)];
  },
};

function changedSinceO1(facts: Facts, last: Outcome): readonly Finding[] {
  const { O1, O2 } = facts.observations;
  const change = O1.outcome === null ? null : changeOf(O1.outcome, last);
  if (change === null) return [];
  const message = `settled at O1 as ${change}`;
  return [{ finding: 'settled-changed', message, events: [...O1.events, ...O2.events] }];
}

function changedSinceAnswer(facts: Facts, last: Outcome): readonly Finding[] {
  const first = facts.submits[0]?.request;
  return facts.submits.flatMap(({ request, answer }): Finding[] => {
    if (answer?.outcome.outcome !== 'happened' || !sameJson(request, first)) return [];
    const change = changeOf(answer.outcome, last);
    if (change === null) return [];
    const message = `a caller was told (phase ${answer.phase}) ${change}`;
    const events = [answer.n, ...facts.observations.O2.events];
    return [{ finding: 'settled-changed', message, events }];
  });
}

/** An entity may become known later; once named it stays. */
function changeOf(before: Outcome, last: Outcome): string | null {
  const settled =
    before.disposition === 'settled' &&
    (before.outcome === 'happened' || before.outcome === 'refused');
  if (!settled) return null;
  if (before.outcome !== last.outcome || last.disposition !== 'settled') {
    return `${before.outcome}, expected the same at O2, the gate says ${formatOutcome(last)}`;
  }
  if (before.entityId === null || before.entityId === last.entityId) return null;
  return `${before.entityId}, expected the same entity at O2, the gate names ${last.entityId ?? 'none'}`;
}

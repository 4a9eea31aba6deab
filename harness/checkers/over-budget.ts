/**
 * How often a service is asked about one intent before a person is: no more, over all lifetimes, than the
 * gate itself says. A budget that is kept in memory starts anew with every process, and an outage with
 * restarts in it never reaches a person. Only a call that found the door shut is counted: each is one
 * look or resend, and nothing else is, unless there are premises to be read, which find it shut as well.
 */
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { type EventOf, eventsOf, eventsOfIncarnation, type Seen } from './seen.ts';

export const overBudget: Checker = {
  finding: 'over-budget',
  check: (_spec, facts) => {
    const budget = declaredBudget(facts);
    if (budget === null || readsPremises(facts)) return [];
    const turnedAway = eventsOf(facts, 'connection').filter(
      (seen) =>
        seen.event.what === 'refused' && seen.phase === 'recovery' && !wasAskedFor(facts, seen),
    );
    if (turnedAway.length <= budget) return [];
    return [
      {
        finding: 'over-budget',
        message: `recovery asked the service ${turnedAway.length} times in vain before it was done, expected at most the ${budget} looks the gate declares, over all its lifetimes`,
        events: turnedAway.map(({ n }) => n),
      },
    ];
  },
};

/** Whoever asks again is owed another look. */
function wasAskedFor(facts: Facts, { n, event }: Seen<EventOf<'connection'>>): boolean {
  return eventsOfIncarnation(facts, 'sent', event.incarnation).some(
    (sent) => sent.n < n && sent.event.message.type === 'submit',
  );
}

function readsPremises(facts: Facts): boolean {
  return eventsOf(facts, 'sent').some(
    ({ event: { message } }) =>
      message.type === 'submit' && Array.isArray(message.premises) && message.premises.length > 0,
  );
}

/** Null where the gate does not say. */
function declaredBudget(facts: Facts): number | null {
  for (const { event } of eventsOf(facts, 'said')) {
    if (event.message.type === 'ready') return event.message.capabilities.looks ?? null;
  }
  return null;
}

/**
 * Subjects that stopped answering in a lifetime after the kill: what they owed is a broken promise,
 * and what could not be observed because of it is no gap of the harness. Pure.
 */
import { type EventOf, eventsOf, eventsOfIncarnation, type HasEvents, type Seen } from './seen.ts';

const hangs: readonly EventOf<'subject-misbehaved'>['what'][] = ['silent', 'died', 'not-ready'];

/**
 * Only from incarnation 2 on; what the first one does before its kill is the kill's proof to judge. One
 * that was only paused owes its answers from the moment it goes on.
 */
export function hangsAfterKill(facts: HasEvents): readonly Seen<EventOf<'subject-misbehaved'>>[] {
  return eventsOf(facts, 'subject-misbehaved').filter(
    ({ n, event }) =>
      hangs.includes(event.what) &&
      (event.incarnation >= 2 || goesOnBefore(facts, event.incarnation, n)),
  );
}

function goesOnBefore(facts: HasEvents, incarnation: number, end: number): boolean {
  return eventsOfIncarnation(facts, 'resumed', incarnation).some(({ n }) => n < end);
}

/** What a subject said of where it is, and of who it is. Pure. */
import {
  type ArmedKill,
  describeAnnouncement,
  describeArmed,
  isArmedPoint,
} from '../kills/armed-point.ts';
import { announcedPointOf } from '../model/kill-points.ts';
import { eventsOfIncarnation, type HasEvents } from './seen.ts';

/** Null when the subject itself said, between two events, that it is at the armed point, or the wire places it. */
export function whyUnannounced(
  facts: HasEvents,
  { armed, after, before }: { armed: ArmedKill; after: number; before: number },
): string | null {
  if (announcedPointOf(armed.point) === null) return null;
  const announced = eventsOfIncarnation(facts, 'said', armed.incarnation).flatMap((seen) =>
    seen.event.message.type === 'at' && seen.n > after && seen.n < before
      ? [seen.event.message]
      : [],
  );
  if (announced.some((at) => isArmedPoint(armed, at))) return null;
  const came = announced.map(describeAnnouncement).join('; ') || 'nothing';
  return `expected the subject to announce ${describeArmed(armed)}, it announced ${came}`;
}

/** The process that said it does the work; null when none did. */
export function readReadyPid(facts: HasEvents, incarnation: number): number | null {
  for (const { event } of eventsOfIncarnation(facts, 'said', incarnation)) {
    if (event.message.type === 'ready') return event.message.pid;
  }
  return null;
}

/**
 * Who stands still at its point while others come, where the cell asks for that: the paused first
 * incarnation, or the recovery that a rival meets. Pure; judges nothing.
 */
import type { TrialSpec } from '../model/trial.ts';
import { type EventOf, eventsOf, eventsOfIncarnation, type HasEvents, type Seen } from './seen.ts';

export interface Standing {
  readonly incarnation: number;
  /** The point it stands at. */
  readonly reached: Seen<EventOf<'point-reached'>>;
  /** Lifetimes that were started to recover after that, and before its own end. */
  readonly beside: readonly number[];
}

/** The point somebody has to stand at in this cell; null where nobody is to. */
export function standingPoint({ cell }: TrialSpec): EventOf<'point-reached'>['point'] | null {
  if (cell.paused === true) return cell.kill;
  return cell.rivalAt === undefined ? null : `recovery:${cell.rivalAt}`;
}

/** Null where nobody has to stand still, or nobody did. */
export function readStanding(spec: TrialSpec, facts: HasEvents): Standing | null {
  const point = standingPoint(spec);
  // A recovery that is killed at the same point came before.
  const reached = eventsOf(facts, 'point-reached')
    .filter(({ event }) => event.point === point && !isToBeKilled(facts, event.incarnation))
    .at(0);
  if (reached === undefined) return null;
  const { incarnation } = reached.event;
  const end = eventsOfIncarnation(facts, 'exited', incarnation)[0]?.n ?? Number.POSITIVE_INFINITY;
  const beside = eventsOf(facts, 'spawned')
    .filter(({ n, event }) => event.role === 'recovery' && reached.n < n && n < end)
    .map(({ event }) => event.incarnation);
  return { incarnation, reached, beside };
}

function isToBeKilled(facts: HasEvents, incarnation: number): boolean {
  return eventsOfIncarnation(facts, 'kill-armed', incarnation).length > 0;
}

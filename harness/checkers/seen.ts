/**
 * Events with the phase of the trial they fell into, and ways to pick them. Pure.
 */
import type { EventType, History, ObservedEvent } from '../model/history.ts';

export type TrialPhase = Extract<ObservedEvent, { type: 'phase' }>['phase'];
export type EventOf<Type extends EventType> = Extract<ObservedEvent, { type: Type }>;

/** A place in the history: an event's number and the phase of the trial it fell into. */
export interface Moment {
  readonly n: number;
  readonly phase: TrialPhase;
  /**
   * Which phase that was, counted from 0 in the order the trial entered them: a storm that overlaps
   * recovery comes before O1, any other caller after it.
   */
  readonly stage: number;
}

export interface Seen<Event extends ObservedEvent = ObservedEvent> extends Moment {
  readonly event: Event;
}

/** Anything that carries a history's events: facts, or the bare list in an object. */
export interface HasEvents {
  readonly events: readonly Seen[];
}

export function placeInPhases(history: History): readonly Seen[] {
  let phase: TrialPhase = 'prepare';
  let stage = 0;
  return history.events.map(({ n, event }): Seen => {
    if (event.type === 'phase') {
      phase = event.phase;
      stage += 1;
    }
    return { n, phase, stage, event };
  });
}

/** All events of one type, in order. */
export function eventsOf<Type extends EventType>(
  { events }: HasEvents,
  type: Type,
): readonly Seen<EventOf<Type>>[] {
  return events.filter((seen): seen is Seen<EventOf<Type>> => seen.event.type === type);
}

/** The events of one type that belong to one lifetime of the subject. */
export function eventsOfIncarnation<Type extends EventTypeOfIncarnation>(
  from: HasEvents,
  type: Type,
  incarnation: number,
): readonly Seen<EventOf<Type>>[] {
  return eventsOf(from, type).filter((seen) => incarnationOf(seen.event) === incarnation);
}

/** Null for events that belong to no lifetime. */
export function incarnationOf(event: ObservedEvent): number | null {
  return 'incarnation' in event ? event.incarnation : null;
}

type EventTypeOfIncarnation = Extract<ObservedEvent, { incarnation: number }>['type'];

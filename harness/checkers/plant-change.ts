/** Small changes of a sound history, and what a planted one is made of. */
import type { Outcome } from '../../gate/gate.ts';
import type { Ending } from '../model/expectation.ts';
import type { FindingName, MissName } from '../model/findings.ts';
import type { EventType, ObservedEvent } from '../model/history.ts';
import type { PlantedTrial } from './plant.ts';
import { outcomeOf } from './plant-outcomes.ts';
import { secondId } from './plant-parts.ts';
import { openWiring, type Wiring } from './plant-wire.ts';
import type { EventOf } from './seen.ts';

export interface Planting {
  readonly finding: FindingName | MissName;
  readonly title: string;
  readonly alongside?: readonly (FindingName | MissName)[];
  readonly trial: PlantedTrial;
  /** False for a history that was cut; true when absent. */
  readonly complete?: false;
}

/** Replaces every event of a type by what `alter` makes of it; nothing where it returns null. */
export function alter<Type extends EventType>(
  trial: PlantedTrial,
  type: Type,
  change: (event: EventOf<Type>) => ObservedEvent | null,
): PlantedTrial {
  const isOfType = (event: ObservedEvent): event is EventOf<Type> => event.type === type;
  const events = trial.events.flatMap((event): ObservedEvent[] => {
    if (!isOfType(event)) return [event];
    const changed = change(event);
    return changed === null ? [] : [changed];
  });
  return { spec: trial.spec, events };
}

/** Leaves out every event of a type that `isMeant` picks; all of them without it. */
export function without<Type extends EventType>(
  trial: PlantedTrial,
  type: Type,
  isMeant: (event: EventOf<Type>) => boolean = () => true,
): PlantedTrial {
  return alter(trial, type, (event) => (isMeant(event) ? null : event));
}

/** Puts events directly before the first one that `isThere` picks. */
export function insertBefore(
  trial: PlantedTrial,
  isThere: (event: ObservedEvent) => boolean,
  added: readonly ObservedEvent[],
): PlantedTrial {
  const at = trial.events.findIndex(isThere);
  if (at < 0) throw new Error(`${trial.spec.id}: the place to insert at is not there`);
  return { spec: trial.spec, events: trial.events.toSpliced(at, 0, ...added) };
}

/** Changes what the gate says at an observation. */
export function says(
  trial: PlantedTrial,
  observation: EventOf<'observed'>['observation'],
  change: (outcome: Outcome) => Outcome | null,
): PlantedTrial {
  return alter(trial, 'observed', (event) => {
    if (event.observation !== observation || event.outcome === null) return event;
    const outcome = change(event.outcome);
    return { ...event, outcome: outcome === null ? null : outcome };
  });
}

/** Changes what the gate says at both observations. */
export function alwaysSays(
  trial: PlantedTrial,
  change: (outcome: Outcome) => Outcome | null,
): PlantedTrial {
  return says(says(trial, 'O1', change), 'O2', change);
}

/** Makes the gate claim another ending, with a receipt to match. */
export function claims(ending: Ending): (outcome: Outcome) => Outcome {
  return (outcome) => outcomeOf(ending, outcome.attempts);
}

/** Changes the answers to submits of the first decision; asking and recovering are left alone. */
export function answers(trial: PlantedTrial, change: (outcome: Outcome) => Outcome): PlantedTrial {
  return answersTo(trial, (id) => id < secondId, change);
}

/** Changes the answers to the messages that are meant. */
export function answersTo(
  trial: PlantedTrial,
  isMeant: (id: number) => boolean,
  change: (outcome: Outcome) => Outcome,
): PlantedTrial {
  return alter(trial, 'said', (event) => {
    const { message } = event;
    if (message.type !== 'outcome' || !isMeant(message.re)) return event;
    return { ...event, message: { type: 'outcome', re: message.re, ...change(message) } };
  });
}

/** Leaves out all that a lifetime did on the wire. */
export function withoutCalls(trial: PlantedTrial, incarnation: number): PlantedTrial {
  return {
    spec: trial.spec,
    events: trial.events.filter(
      (event) =>
        !('incarnation' in event) ||
        event.incarnation !== incarnation ||
        !('request' in event || event.type === 'connection'),
    ),
  };
}

/** What goes out besides what the sound history holds, under numbers that it has not used. */
export function another(trial: PlantedTrial, keyed: boolean): Wiring {
  const wiring = openWiring(keyed);
  wiring.requests = trial.events.filter((event) => event.type === 'request-began').length;
  return wiring;
}

/** Changes the effects of the subject's that the journal shows. */
export function journalHolds(
  trial: PlantedTrial,
  observations: readonly ('O1' | 'O2')[],
  effects: EventOf<'journal'>['effects'],
): PlantedTrial {
  return alter(trial, 'journal', (event) =>
    observations.includes(event.observation) ? { ...event, effects } : event,
  );
}

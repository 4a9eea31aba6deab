/** Planted histories of a gate that sends what it should not, or knows nothing of. */
import type { ObservedEvent } from '../model/history.ts';
import { type PlantedTrial, plantSound } from './plant.ts';
import { alter, alwaysSays, another, insertBefore, type Planting, says } from './plant-change.ts';
import { killedFrom } from './plant-parts.ts';
import { exchange } from './plant-wire.ts';

const keyedNow = plantSound({ tier: 'keyed', kill: 'during_call:now' });
const keyedEarly = plantSound({ tier: 'keyed', kill: 'before_wal' });
/** Surfaced, so that nothing in it rests on what a look said. */
export const killedInRecovery = plantSound({ tier: 'blind', kill: 'during_call:now' });
const blindEarly = plantSound({ tier: 'blind', kill: 'before_wal' });

export const plantedSends: readonly Planting[] = [
  {
    finding: 'sent-before-recorded',
    title: 'a request was on the wire and the ledger knows of no attempt',
    trial: says(keyedNow, 'O1', (outcome) => ({ ...outcome, attempts: 0 })),
  },
  {
    finding: 'hidden-retry',
    title: 'the client library sends again behind the attempt, without a key',
    trial: insertBefore(blindEarly, isDelivered, oneMore(blindEarly, false)),
  },
  {
    finding: 'hidden-retry',
    title: 'the client library sends again under another key',
    trial: alter(
      insertBefore(keyedEarly, isDelivered, oneMore(keyedEarly, true)),
      'request-whole',
      (event) => ({ ...event, key: `key-${event.request}` }),
    ),
  },
  {
    finding: 'over-budget',
    title: 'recovery goes on looking, over two lifetimes, beyond the looks it declares',
    trial: turnedAway(killedInRecovery, 3),
  },
  {
    finding: 'sent-uninvited',
    title: 'recovery is done, nobody has asked, and a request goes out',
    trial: withOneMoreAttempt(
      insertBefore(keyedNow, (event) => event.type === 'settled', oneMore(keyedNow, true)),
    ),
  },
  {
    finding: 'sent-uninvited',
    title: 'the caller has its answer, and one more request goes out',
    trial: withOneMoreAttempt(insertBefore(keyedNow, endsSecond, oneMore(keyedNow, true))),
  },
];

/** The same repeat that one constant key turns into a note, also beside a second decision with its own. */
export const plantedNotes: readonly PlantedTrial[] = [
  keyedEarly,
  plantSound({ tier: 'keyed', kill: 'before_wal', caller: 'second-legitimate' }),
].map((trial) => insertBefore(trial, isDelivered, oneMore(trial, true)));

/** A gate that declares two looks, and whose recoveries found the door shut so many times. */
export function turnedAway(trial: PlantedTrial, times: number): PlantedTrial {
  const declared = alter(trial, 'said', (event) =>
    event.message.type === 'ready'
      ? {
          ...event,
          message: {
            ...event.message,
            capabilities: { ...event.message.capabilities, looks: 2 },
          },
        }
      : event,
  );
  const refused = Array.from(
    { length: times },
    (_, index): ObservedEvent => ({
      type: 'connection',
      incarnation: killedFrom + index,
      connection: 900 + index,
      what: 'refused',
    }),
  );
  return insertBefore(declared, (event) => event.type === 'settled', refused);
}

function oneMore(trial: PlantedTrial, keyed: boolean): readonly ObservedEvent[] {
  return exchange(another(trial, keyed), 2, 'none');
}

function withOneMoreAttempt(trial: PlantedTrial): PlantedTrial {
  return alwaysSays(trial, (outcome) => ({ ...outcome, attempts: outcome.attempts + 1 }));
}

function isDelivered(event: ObservedEvent): boolean {
  return event.type === 'delivered';
}

function endsSecond(event: ObservedEvent): boolean {
  return event.type === 'exited' && event.incarnation === 2;
}

/**
 * What was asked of the subject and what it answered, paired by the id of the message. Pure.
 */
import type { JsonObject, JsonValue } from '../../adapters/target.ts';
import type { OutcomeMessage } from '../../gate/protocol.ts';
import { eventsOf, eventsOfIncarnation, type Moment, type Seen } from './seen.ts';

export interface Submit {
  readonly incarnation: number;
  readonly id: number;
  readonly decision: 'first' | 'second';
  readonly request: JsonObject;
  readonly sent: Moment;
  /** Null when the subject never answered, e.g. because it was killed. */
  readonly answer: (Moment & { readonly outcome: OutcomeMessage }) | null;
}

/** A message that lets the subject send: `submit` or `recover`. */
export interface Invitation {
  readonly kind: 'submit' | 'recover';
  readonly incarnation: number;
  /** Which decision a submit asks for; a recovery is of whatever is open. */
  readonly decision: 'first' | 'second';
  readonly sent: Moment;
  /** Its answer; null when there was none. */
  readonly answered: Moment | null;
  /** Its answer or the end of its process, whichever came first; null while it stands open. */
  readonly ended: Moment | null;
}

export function readSubmits(events: readonly Seen[]): readonly Submit[] {
  return readMessages(events).flatMap(
    ({ type, incarnation, id, decision, message, sent }): Submit[] => {
      const { request } = message;
      if (type !== 'submit' || !isObject(request)) return [];
      const answer = eventsOfIncarnation({ events }, 'said', incarnation).flatMap((seen) =>
        seen.event.message.type === 'outcome' && seen.event.message.re === id && seen.n > sent.n
          ? [{ ...momentOf(seen), outcome: seen.event.message }]
          : [],
      )[0];
      return [{ incarnation, id, decision, request, sent, answer: answer ?? null }];
    },
  );
}

export function readInvitations(events: readonly Seen[]): readonly Invitation[] {
  return readMessages(events).flatMap(({ type, incarnation, id, decision, sent }): Invitation[] => {
    if (type !== 'submit' && type !== 'recover') return [];
    const answered = eventsOfIncarnation({ events }, 'said', incarnation).find(
      ({ n, event }) => n > sent.n && 're' in event.message && event.message.re === id,
    );
    const exited = eventsOfIncarnation({ events }, 'exited', incarnation)[0];
    const ended = [answered, exited]
      .filter((seen) => seen !== undefined)
      .reduce<Moment | null>(
        (first, seen) => (first === null || seen.n < first.n ? momentOf(seen) : first),
        null,
      );
    return [
      {
        kind: type,
        incarnation,
        decision,
        sent,
        answered: answered === undefined ? null : momentOf(answered),
        ended,
      },
    ];
  });
}

interface SentMessage {
  readonly type: JsonValue | undefined;
  readonly incarnation: number;
  readonly id: number;
  readonly decision: 'first' | 'second';
  readonly message: JsonObject;
  readonly sent: Moment;
}

function readMessages(events: readonly Seen[]): readonly SentMessage[] {
  return eventsOf({ events }, 'sent').flatMap((seen): SentMessage[] => {
    const { incarnation, message, decision = 'first' } = seen.event;
    const { type, id } = message;
    return typeof id === 'number'
      ? [{ type, incarnation, id, decision, message, sent: momentOf(seen) }]
      : [];
  });
}

function momentOf(seen: Moment): Moment {
  return { n: seen.n, phase: seen.phase, stage: seen.stage };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What the wire saw of each request, gathered from its events, and what a reply can prove. Pure.
 */
import type { ObservedEvent } from '../model/history.ts';
import {
  type EventOf,
  eventsOf,
  eventsOfIncarnation,
  type HasEvents,
  type Moment,
  type Seen,
} from './seen.ts';

export interface WireRequest {
  readonly request: number;
  readonly incarnation: number;
  readonly connection: number;
  /** Its first byte. */
  readonly began: Moment;
  /** Null when the request was cut off, so that nobody can say what it was. */
  readonly whole: Seen<EventOf<'request-whole'>> | null;
  readonly held: Seen<EventOf<'held'>> | null;
  readonly forwarded: Seen<EventOf<'forwarded'>> | null;
  readonly replied: Seen<EventOf<'replied'>> | null;
  readonly delivered: Seen<EventOf<'delivered'>> | null;
  readonly dropped: Seen<EventOf<'dropped'>> | null;
}

export function readRequests(events: readonly Seen[]): readonly WireRequest[] {
  return eventsOf({ events }, 'request-began').map((seen) => {
    const { request, incarnation, connection } = seen.event;
    const first = <Type extends RequestEvent['type']>(type: Type) =>
      eventsOf({ events }, type).find(({ event }) => requestOf(event) === request) ?? null;
    return {
      request,
      incarnation,
      connection,
      began: { n: seen.n, phase: seen.phase, stage: seen.stage },
      whole: first('request-whole'),
      held: first('held'),
      forwarded: first('forwarded'),
      replied: first('replied'),
      delivered: first('delivered'),
      dropped: first('dropped'),
    };
  });
}

/** Whole requests that can change something at the service, in the order they began. */
export function mutatingRequests(facts: {
  readonly requests: readonly WireRequest[];
}): readonly WireRequest[] {
  return facts.requests.filter((request) => request.whole?.event.mutating === true);
}

/** `happened` after a 2xx, `no-effect` after a refusal that proves it, null where nothing is proven. */
export type Proof = 'happened' | 'no-effect' | null;

/**
 * What the service's own reply to a request proves to an incarnation that lived to record it. A
 * reply made up by the wire proves nothing, nor does one whose reader was killed before its next word.
 */
export function provenBy(facts: HasEvents, request: WireRequest): Proof {
  const { delivered } = request;
  if (delivered === null || delivered.event.byWire) return null;
  if (!livedToRecord(facts, request.incarnation, delivered.n)) return null;
  const { status } = delivered.event;
  if (status >= 200 && status < 300) return 'happened';
  // 408 and 409 can stand for "still working on it": no proof either way.
  return status >= 400 && status < 500 && status !== 408 && status !== 409 ? 'no-effect' : null;
}

function livedToRecord(facts: HasEvents, incarnation: number, since: number): boolean {
  if (eventsOfIncarnation(facts, 'kill-sent', incarnation).length === 0) return true;
  const saidResult = eventsOfIncarnation(facts, 'said', incarnation).some(
    ({ n, event }) =>
      n > since && (event.message.type === 'outcome' || event.message.type === 'done'),
  );
  const reachedAck = eventsOfIncarnation(facts, 'point-reached', incarnation).some(
    ({ n, event }) => n > since && event.point === 'after_commit_before_ack',
  );
  return saidResult || reachedAck;
}

type RequestEvent = EventOf<
  'request-whole' | 'held' | 'forwarded' | 'replied' | 'delivered' | 'dropped'
>;

function requestOf(event: ObservedEvent): number | null {
  return 'request' in event ? event.request : null;
}

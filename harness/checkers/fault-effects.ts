/**
 * What each fault must leave on the wire besides the word that it fired. Pure. An injector that
 * says "fired" and lets the request through would otherwise make every gate look sound.
 */
import type { WireFaultName } from '../model/fault-table.ts';
import type { Facts } from './facts.ts';
import { hangsAfterKill } from './hangs.ts';
import type { WireRequest } from './requests.ts';
import { type EventOf, eventsOf, eventsOfIncarnation, type Seen } from './seen.ts';

type Fired = Seen<EventOf<'fault-fired'>>;

/** What was expected and is not there, or null when the fault's effect is seen. */
export function faultLeftNoTrace(fault: WireFaultName, facts: Facts, fired: Fired): string | null {
  if (fault === 'partition') return partitionLeftNoTrace(facts, fired);
  if (fault === 'partition-forever') return lastingPartitionLeftNoTrace(facts, fired);
  const hit = facts.requests.find(({ request }) => request === fired.event.request);
  if (hit === undefined) return 'expected it to name a request the wire saw, it names none';
  switch (fault) {
    case 'request-lost':
      return unless(
        hit.forwarded === null && hit.delivered === null,
        hit,
        'never to be forwarded and nothing handed on',
      );
    case 'reply-lost':
      return unless(
        hit.replied !== null && hit.delivered === null,
        hit,
        'to be replied to and the reply never handed on',
      );
    case 'slow':
      return unless(
        hit.replied !== null && hit.delivered === null,
        hit,
        'to be replied to when its reader had given up, and nothing handed on',
      );
    case 'truncated-reply':
      return unless(
        hit.replied !== null && hit.delivered === null,
        hit,
        'to be replied to and no whole reply handed on',
      );
    case 'foreign-reply':
    case 'foreign-reply-sticky':
      return unless(
        hit.replied !== null && hit.delivered?.event.byWire === true,
        hit,
        'to be replied to and another reply handed on in its place',
      );
    case 'error-before-apply':
      return unless(
        hit.forwarded === null && madeUpByWire(hit, 503),
        hit,
        "never to be forwarded and the wire's own 503 handed on",
      );
    case 'error-after-apply':
      return unless(
        hit.replied !== null && madeUpByWire(hit, 504),
        hit,
        "to be replied to and the wire's own 504 handed on",
      );
    case 'late-apply':
      return unless(
        landedLate(facts, hit),
        hit,
        'to be held, then forwarded and replied to only after its sender was dead or had been answered for',
      );
    default:
      return fault satisfies never;
  }
}

function unless(seen: boolean, { request }: WireRequest, expected: string): string | null {
  return seen ? null : `expected request ${request} ${expected}, the wire saw otherwise`;
}

function madeUpByWire({ delivered }: WireRequest, status: number): boolean {
  return delivered?.event.byWire === true && delivered.event.status === status;
}

/** Late: after the sender's exit, or after the message that made it send was answered. */
function landedLate(facts: Facts, hit: WireRequest): boolean {
  const { held, forwarded, replied, incarnation } = hit;
  if (held === null) return false;
  // A trial that a hang of the subject ended early lets nothing land.
  if (forwarded === null) return hangsAfterKill(facts).length > 0;
  if (replied === null) return false;
  if (!(held.n < forwarded.n && forwarded.n < replied.n)) return false;
  const exited = eventsOfIncarnation(facts, 'exited', incarnation)[0];
  if (exited !== undefined && exited.n < forwarded.n) return true;
  const gaveUp = eventsOfIncarnation(facts, 'connection', incarnation).some(
    ({ n, event }) =>
      event.what === 'closed' && event.connection === hit.connection && n < forwarded.n,
  );
  if (gaveUp) return true;
  return facts.invitations.some(
    ({ incarnation: asked, sent, answered }) =>
      asked === incarnation &&
      sent.n < hit.began.n &&
      answered !== null &&
      answered.n > hit.began.n &&
      answered.n < forwarded.n,
  );
}

/** A connection was refused, and none was accepted after it. */
function lastingPartitionLeftNoTrace(facts: Facts, { n, event }: Fired): string | null {
  const later = eventsOf(facts, 'connection').filter((seen) => seen.n > n);
  const refused = eventsOfIncarnation(facts, 'connection', event.incarnation).some(
    (seen) => seen.event.what === 'refused',
  );
  if (!refused)
    return `expected a refused connection of incarnation ${event.incarnation}, there was none`;
  return later.some((seen) => seen.event.what === 'opened')
    ? 'expected it to last, a later connection was accepted'
    : null;
}

/** A connection was refused, and no later lifetime found the door shut for good. */
function partitionLeftNoTrace(facts: Facts, { event }: Fired): string | null {
  const refused = eventsOfIncarnation(facts, 'connection', event.incarnation).some(
    (seen) => seen.event.what === 'refused',
  );
  if (!refused) {
    return `expected a refused connection of incarnation ${event.incarnation}, there was none`;
  }
  const later = eventsOf(facts, 'connection').filter(
    (seen) => seen.event.incarnation > event.incarnation && seen.event.what !== 'closed',
  );
  return later.length > 0 && later.every((seen) => seen.event.what === 'refused')
    ? 'expected it to heal, every later connection was refused'
    : null;
}

/**
 * Whether the wire agrees with the rail column of the kill points: what the service had seen of the
 * killed process, point by point. Pure. Only events of the killed lifetime are compared.
 */

import type { Facts } from './facts.ts';
import { hangsAfterKill } from './hangs.ts';
import type { WireRequest } from './requests.ts';
import type { EventOf } from './seen.ts';
import { eventsOf, eventsOfIncarnation } from './seen.ts';

/** A proven SIGKILL: the lifetime it ended, and the numbers of its events. */
export interface Death {
  readonly incarnation: number;
  readonly killSent: number;
  readonly exited: number;
}

export interface ProvenKill {
  readonly point: EventOf<'kill-armed'>['point'];
  readonly death: Death;
  /** The gate is known to call nobody, so a missing call contradicts nothing. */
  readonly neverCalls: boolean;
  /** The premises are read before every call, which puts bytes on the wire that are none of a call's. */
  readonly readsPremises: boolean;
}

/** What the wire saw that the point rules out, or null when it agrees. */
export function wireContradicts(
  facts: Facts,
  { point, death, neverCalls, readsPremises }: ProvenKill,
): string | null {
  switch (point) {
    case 'before_wal':
    case 'after_wal_before_call':
      return sentAnything(facts, death, readsPremises)
        ? 'expected not one byte on the wire from this process, there were some'
        : null;
    case 'during_call:now':
      return someCall(
        facts,
        death,
        'a whole mutating request whose reply came before the kill and was never handed on',
        ({ replied, delivered }) =>
          replied !== null && replied.n < death.killSent && delivered === null,
      );
    case 'during_call:later':
      return someCall(
        facts,
        death,
        'a whole mutating request held before the kill and forwarded only after the exit',
        ({ held, forwarded }) =>
          held !== null &&
          held.n < death.killSent &&
          (forwarded === null ? neverCameToLand(facts) : forwarded.n > death.exited),
      );
    case 'during_call:running':
      return heldInService(facts, death)
        ? someCall(
            facts,
            death,
            'a whole mutating request given to the service before the kill and answered only after the exit',
            ({ forwarded, replied }) =>
              forwarded !== null &&
              forwarded.n < death.killSent &&
              (replied === null || replied.n > death.exited),
          )
        : 'expected the service to stand still over the effect from before the kill until after the exit, it did not';
    case 'during_call:never':
      return someCall(
        facts,
        death,
        'a whole mutating request that was dropped and never forwarded',
        ({ dropped, forwarded }) => dropped !== null && forwarded === null,
      );
    case 'after_call_before_commit':
    case 'after_commit_before_ack':
      if (saidOutcome(facts, death)) return 'expected no outcome before the kill, one was said';
      // The last word on an effect that was performed follows a call.
      return neverCalls || hadCalled(facts, death)
        ? null
        : 'expected a call before the kill, the wire saw neither a request nor a refused connection';
    case 'recovery:owned':
    case 'recovery:before-lookup':
      // A service that could also be sent the key again is read for the premises first.
      return sentAnything(facts, death, readsPremises)
        ? 'expected that recovery had asked and sent nothing yet, there were bytes on the wire'
        : null;
    case 'recovery:before-resend':
      return callsBeforeKill(facts, death).length > 0
        ? 'expected that recovery had sent nothing yet, a whole mutating request came before it'
        : null;
    case 'recovery:after-lookup':
      return asked(facts, death)
        ? null
        : 'expected a look before the kill, the wire saw neither a request nor a refused connection';
    case 'recovery:before-settle':
      // What was learnt may have come from the ledger alone.
      return null;
    case 'wire:connection':
      return sentAnything(facts, death, false)
        ? 'expected not one byte to be read from this process, there were some'
        : null;
    case 'wire:first-byte':
      return facts.requests.some(
        ({ incarnation, whole }) => incarnation === death.incarnation && whole !== null,
      )
        ? 'expected a request of which no more than the beginning was read, a whole one was'
        : beganNothing(facts, death);
    case 'wire:half-request':
      return partOnTheWire(
        facts,
        death,
        'forwarded-part',
        'half of a request given to the service',
      );
    case 'wire:whole-request':
      return someCall(
        facts,
        death,
        'a whole mutating request that was dropped and never forwarded',
        ({ dropped, forwarded }) => dropped !== null && forwarded === null,
      );
    case 'wire:applied':
      return someCall(
        facts,
        death,
        'a whole mutating request whose reply came before the kill and was never handed on',
        ({ replied, delivered }) =>
          replied !== null && replied.n < death.killSent && delivered === null,
      );
    case 'wire:first-reply-byte':
    case 'wire:half-reply':
      return partOnTheWire(facts, death, 'delivered-part', 'a part of the reply handed on');
    case 'wire:whole-reply':
      return someCall(
        facts,
        death,
        'a whole mutating request whose whole reply was handed on before the kill',
        ({ delivered }) => delivered !== null && delivered.n < death.killSent,
      );
    default:
      return point satisfies never;
  }
}

function beganNothing(facts: Facts, death: Death): string | null {
  const began = facts.requests.some(
    ({ incarnation, began: first }) =>
      incarnation === death.incarnation && first.n < death.killSent,
  );
  return began ? null : 'expected the first byte of a request before the kill, there was none';
}

/**
 * The part was seen, and no call went as far as the part must not: given on whole where half was, its
 * reply handed on whole where a part of it was. What was only asked may have been.
 */
function partOnTheWire(
  facts: Facts,
  death: Death,
  type: 'forwarded-part' | 'delivered-part',
  expected: string,
): string | null {
  const part = eventsOfIncarnation(facts, type, death.incarnation).some(
    ({ n }) => n < death.killSent,
  );
  const whole = callsBeforeKill(facts, death).some(({ forwarded, delivered }) =>
    type === 'forwarded-part' ? forwarded !== null : delivered !== null,
  );
  return part && !whole
    ? null
    : `expected ${expected} before the kill and no more than that, the wire saw otherwise`;
}

/** Bytes recorded after the exit were sent before it all the same. What began and never became whole may be a call. */
function sentAnything(facts: Facts, { incarnation }: Death, readsPremises: boolean): boolean {
  return (
    facts.requests.some(
      (request) =>
        request.incarnation === incarnation &&
        !(readsPremises && request.whole?.event.mutating === false),
    ) || eventsOfIncarnation(facts, 'opaque-bytes', incarnation).length > 0
  );
}

function someCall(
  facts: Facts,
  death: Death,
  expected: string,
  isIt: (request: WireRequest) => boolean,
): string | null {
  const whole = callsBeforeKill(facts, death);
  if (whole.length === 0) return `expected ${expected}, no whole mutating request came before it`;
  return whole.some(isIt) ? null : `expected ${expected}, the wire saw no such request`;
}

function callsBeforeKill(facts: Facts, death: Death): readonly WireRequest[] {
  return facts.requests.filter(
    ({ incarnation, whole }) =>
      incarnation === death.incarnation &&
      whole !== null &&
      whole.event.mutating &&
      whole.n < death.killSent,
  );
}

function heldInService(facts: Facts, { killSent, exited }: Death): boolean {
  const held = eventsOf(facts, 'work-held')[0];
  const released = eventsOf(facts, 'work-released')[0];
  if (held === undefined || held.n > killSent) return false;
  return released === undefined ? neverCameToLand(facts) : released.n > exited;
}

/** A trial that a later hang of the subject ended early lets nothing land; the kill stands all the same. */
function neverCameToLand(facts: Facts): boolean {
  return hangsAfterKill(facts).length > 0;
}

function hadCalled(facts: Facts, death: Death): boolean {
  const refused = eventsOfIncarnation(facts, 'connection', death.incarnation).some(
    ({ n, event }) => event.what === 'refused' && n < death.killSent,
  );
  return refused || callsBeforeKill(facts, death).length > 0;
}

function asked(facts: Facts, death: Death): boolean {
  const refused = eventsOfIncarnation(facts, 'connection', death.incarnation).some(
    ({ n, event }) => event.what === 'refused' && n < death.killSent,
  );
  const looked = facts.requests.some(
    ({ incarnation, began }) => incarnation === death.incarnation && began.n < death.killSent,
  );
  return refused || looked;
}

function saidOutcome(facts: Facts, { incarnation }: Death): boolean {
  return eventsOfIncarnation(facts, 'said', incarnation).some(
    ({ event }) => event.message.type === 'outcome',
  );
}

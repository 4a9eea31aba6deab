/**
 * How the wire places a kill, as data: what it does to the first incarnation's first connection,
 * request or reply, and which of its events is the sign that the point is reached. It needs nothing
 * from the subject. In: the cell's kill point, what comes on the wire, the trial's events. Out: the
 * wire's decisions, until the kill is placed and after it where the point would not stand otherwise.
 */
import type { EventType, ObservedEvent } from '../model/history.ts';
import type { KillPoint } from '../model/kill-points.ts';
import type { BegunRequest, ConnectionInfo, Handling, WireRequest } from '../wire/wire.ts';
import type { Recorder } from './recorder.ts';

type RequestSign = Extract<
  EventType,
  'replied' | 'held' | 'dropped' | 'forwarded-part' | 'delivered-part' | 'delivered'
>;

type Placement =
  /** The connection stands, and is not read. Sign: it was opened. */
  | { readonly on: 'connection' }
  /** The request is read no further than its first byte. Sign: it began. */
  | { readonly on: 'first-byte' }
  /** The first mutating request. Sign: this event of that very request. */
  | { readonly on: 'request'; readonly handling: Handling; readonly sign: RequestSign };

function onRequest(
  upstream: 'forward' | 'discard' | 'hold',
  reply: Exclude<Handling['reply'], 'reset'>,
  sign: RequestSign,
): Placement {
  return { on: 'request', handling: { upstream, reply }, sign };
}

/** Null where the subject announces that it is there, or the rail says so. */
const placements: Readonly<Record<KillPoint, Placement | null>> = {
  before_wal: null,
  after_wal_before_call: null,
  'during_call:now': onRequest('forward', 'withhold', 'replied'),
  'during_call:later': onRequest('hold', 'withhold', 'held'),
  'during_call:never': onRequest('discard', 'withhold', 'dropped'),
  'during_call:running': null,
  after_call_before_commit: null,
  after_commit_before_ack: null,
  'wire:connection': { on: 'connection' },
  'wire:first-byte': { on: 'first-byte' },
  // The wire has the whole request, so a subject that marks a point of no return is past it.
  'wire:half-request': {
    on: 'request',
    handling: { upstream: 'half', reply: 'withhold' },
    sign: 'forwarded-part',
  },
  'wire:whole-request': onRequest('discard', 'withhold', 'dropped'),
  'wire:applied': onRequest('forward', 'withhold', 'replied'),
  'wire:first-reply-byte': onRequest('forward', { part: 'first-byte' }, 'delivered-part'),
  'wire:half-reply': onRequest('forward', { part: 'half' }, 'delivered-part'),
  'wire:whole-reply': onRequest('forward', 'deliver', 'delivered'),
};

/** The kill of the first incarnation: later ones pass. */
const killed = 1;

export class WireKill {
  readonly #placement: Placement | null;
  /** The request it was placed on. */
  #request: number | null = null;

  constructor(kill: KillPoint) {
    this.#placement = placements[kill];
  }

  /** A second connection may bring what the first was kept from bringing, so each of them is held. */
  connection({ incarnation }: ConnectionInfo): 'hold' | undefined {
    return this.#placement?.on === 'connection' && incarnation === killed ? 'hold' : undefined;
  }

  /** As with connections: no request of the process that is to die is read. */
  began({ incarnation, request }: BegunRequest): 'read' | 'stop' {
    if (this.#placement?.on !== 'first-byte' || incarnation !== killed) return 'read';
    this.#request ??= request;
    return 'stop';
  }

  request({ incarnation, mutating, request }: WireRequest): Handling | undefined {
    if (this.#placement?.on !== 'request' || this.#request !== null) return undefined;
    if (incarnation !== killed || !mutating) return undefined;
    this.#request = request;
    return this.#placement.handling;
  }

  /** `wire` once the point is reached; null when it was not within the deadline. */
  async reached(recorder: Pick<Recorder, 'next'>, deadlineMs: number): Promise<'wire' | null> {
    const event = await recorder.next((candidate) => this.#isSign(candidate), deadlineMs);
    return event === undefined ? null : 'wire';
  }

  #isSign(event: ObservedEvent): boolean {
    const placement = this.#placement;
    switch (placement?.on) {
      case undefined:
        return false;
      case 'connection':
        return (
          event.type === 'connection' && event.what === 'opened' && event.incarnation === killed
        );
      case 'first-byte':
        return event.type === 'request-began' && event.request === this.#request;
      case 'request':
        return (
          event.type === placement.sign && 'request' in event && event.request === this.#request
        );
      default:
        return placement satisfies never;
    }
  }
}

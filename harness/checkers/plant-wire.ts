/** The requests of a planted history, and what each fault makes of them. */
import type { FaultName } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';

interface Sent {
  readonly incarnation: number;
  readonly request: number;
}

/** Counters of one history that is being built, and the requests that are still to land. */
export interface Wiring {
  readonly keyed: boolean;
  /** What the first decision relies on is read before each of its calls. */
  readonly readsPremises: boolean;
  attempts: number;
  /** Of the second decision. */
  secondAttempts: number;
  requests: number;
  /** Held on the wire. */
  late: Sent[];
  /** What the service stands still over. */
  running: Sent | null;
}

export function openWiring(keyed: boolean, readsPremises = false): Wiring {
  return {
    keyed,
    readsPremises,
    attempts: 0,
    secondAttempts: 0,
    requests: 0,
    late: [],
    running: null,
  };
}

/** One attempt: at most one request that changes anything, on a connection of its own. */
export function exchange(
  wiring: Wiring,
  incarnation: number,
  fault: FaultName,
): readonly ObservedEvent[] {
  const read = readPremises(wiring, incarnation);
  wiring.attempts += 1;
  if (fault === 'partition') return refusedConnection(incarnation, 1000 + wiring.attempts);
  return [...read, ...call(wiring, incarnation, fault, 'key-1')];
}

/** One attempt of the second decision, which relies on nothing. */
export function exchangeSecond(wiring: Wiring, incarnation: number): readonly ObservedEvent[] {
  wiring.secondAttempts += 1;
  return call(wiring, incarnation, 'none', 'key-2');
}

function call(
  wiring: Wiring,
  incarnation: number,
  fault: FaultName,
  key: string,
): readonly ObservedEvent[] {
  const request = nextRequest(wiring);
  const reaches: readonly ObservedEvent[] = [
    { type: 'forwarded', incarnation, request },
    { type: 'replied', incarnation, request, status: 200 },
  ];
  const fired: ObservedEvent = { type: 'fault-fired', incarnation, fault, request };
  const dropped: ObservedEvent = { type: 'dropped', incarnation, request };
  const closed = closing(incarnation, request);
  const said = (status: number, byWire: boolean): ObservedEvent => {
    return { type: 'delivered', incarnation, request, status, byWire };
  };
  const asked = wholeRequest(incarnation, request, wiring.keyed ? key : null);
  switch (fault) {
    case 'none':
      return [...asked, ...reaches, said(200, false), closed];
    case 'request-lost':
      return [...asked, fired, dropped, closed];
    case 'reply-lost':
      return [...asked, fired, ...reaches, dropped, closed];
    case 'error-before-apply':
      return [...asked, fired, dropped, said(503, true), closed];
    case 'error-after-apply':
      return [...asked, fired, ...reaches, dropped, said(504, true), closed];
    case 'late-apply':
      wiring.late.push({ incarnation, request });
      return [...asked, fired, { type: 'held', incarnation, request }, closed];
    default:
      throw new Error(`no plot tells what ${fault} leaves on the wire`);
  }
}

/** One attempt over which the service stands still. */
export function heldInService(wiring: Wiring, incarnation: number): readonly ObservedEvent[] {
  const read = readPremises(wiring, incarnation);
  wiring.attempts += 1;
  const request = nextRequest(wiring);
  wiring.running = { incarnation, request };
  return [
    ...read,
    ...wholeRequest(incarnation, request, wiring.keyed ? 'key-1' : null),
    { type: 'forwarded', incarnation, request },
    { type: 'work-held' },
  ];
}

/** One attempt that is told that an earlier one under its key is still being worked on. */
export function conflict(wiring: Wiring, incarnation: number): readonly ObservedEvent[] {
  const read = readPremises(wiring, incarnation);
  wiring.attempts += 1;
  const request = nextRequest(wiring);
  return [
    ...read,
    ...wholeRequest(incarnation, request, 'key-1'),
    ...answered(incarnation, request, 409),
  ];
}

/** What the decision relies on is looked at; nothing where it relies on nothing. */
export function readPremises(wiring: Wiring, incarnation: number): readonly ObservedEvent[] {
  if (!wiring.readsPremises) return [];
  const request = nextRequest(wiring);
  return [
    ...anyRequest(incarnation, request, { method: 'GET', mutating: false, key: null }),
    ...answered(incarnation, request, 200),
  ];
}

/** What was held, on the wire or in the service, takes effect now. */
export function lateLanding(wiring: Wiring): readonly ObservedEvent[] {
  const { running } = wiring;
  wiring.running = null;
  const released: readonly ObservedEvent[] =
    running === null
      ? []
      : [
          { type: 'work-released' },
          { type: 'replied', ...running, status: 200 },
          { type: 'dropped', ...running },
        ];
  const held = wiring.late.splice(0).flatMap((sent): ObservedEvent[] => [
    { type: 'forwarded', ...sent },
    { type: 'replied', ...sent, status: 200 },
    { type: 'dropped', ...sent },
  ]);
  return [...released, ...held];
}

export function wholeRequest(
  incarnation: number,
  request: number,
  key: string | null,
): readonly ObservedEvent[] {
  return anyRequest(incarnation, request, { method: 'POST', mutating: true, key });
}

function anyRequest(
  incarnation: number,
  request: number,
  what: { readonly method: string; readonly mutating: boolean; readonly key: string | null },
): readonly ObservedEvent[] {
  return [
    { type: 'connection', incarnation, connection: request, what: 'opened' },
    { type: 'request-began', incarnation, connection: request, request },
    {
      type: 'request-whole',
      incarnation,
      request,
      path: '/v1/refunds',
      bodySha256: 'body-1',
      ...what,
    },
  ];
}

function answered(incarnation: number, request: number, status: number): readonly ObservedEvent[] {
  return [
    { type: 'forwarded', incarnation, request },
    { type: 'replied', incarnation, request, status },
    { type: 'delivered', incarnation, request, status, byWire: false },
    closing(incarnation, request),
  ];
}

function closing(incarnation: number, connection: number): ObservedEvent {
  return { type: 'connection', incarnation, connection, what: 'closed' };
}

function nextRequest(wiring: Wiring): number {
  wiring.requests += 1;
  return wiring.requests;
}

function refusedConnection(incarnation: number, connection: number): readonly ObservedEvent[] {
  return [
    { type: 'connection', incarnation, connection, what: 'refused' },
    { type: 'fault-fired', incarnation, fault: 'partition', request: null },
  ];
}

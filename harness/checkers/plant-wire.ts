/** The requests of a planted history, and what each fault makes of them. */
import type { FaultName } from '../model/cell.ts';
import type { ObservedEvent } from '../model/history.ts';

/** Counters of one history that is being built, and the requests that are still to land. */
export interface Wiring {
  readonly keyed: boolean;
  attempts: number;
  requests: number;
  late: { readonly incarnation: number; readonly request: number }[];
}

export function openWiring(keyed: boolean): Wiring {
  return { keyed, attempts: 0, requests: 0, late: [] };
}

/** One attempt: at most one request, on a connection of its own. */
export function exchange(
  wiring: Wiring,
  incarnation: number,
  fault: FaultName,
): readonly ObservedEvent[] {
  wiring.attempts += 1;
  if (fault === 'partition') return refusedConnection(incarnation, 1000 + wiring.attempts);
  wiring.requests += 1;
  const request = wiring.requests;
  const reaches: readonly ObservedEvent[] = [
    { type: 'forwarded', incarnation, request },
    { type: 'replied', incarnation, request, status: 200 },
  ];
  const fired: ObservedEvent = { type: 'fault-fired', incarnation, fault, request };
  const dropped: ObservedEvent = { type: 'dropped', incarnation, request };
  const closed: ObservedEvent = {
    type: 'connection',
    incarnation,
    connection: request,
    what: 'closed',
  };
  const said = (status: number, byWire: boolean): ObservedEvent => {
    return { type: 'delivered', incarnation, request, status, byWire };
  };
  const asked = wholeRequest(incarnation, request, wiring.keyed ? 'key-1' : null);
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

/** What was held takes effect now. */
export function lateLanding(wiring: Wiring): readonly ObservedEvent[] {
  return wiring.late.splice(0).flatMap(({ incarnation, request }): ObservedEvent[] => [
    { type: 'forwarded', incarnation, request },
    { type: 'replied', incarnation, request, status: 200 },
    { type: 'dropped', incarnation, request },
  ]);
}

export function wholeRequest(
  incarnation: number,
  request: number,
  key: string | null,
): readonly ObservedEvent[] {
  return [
    { type: 'connection', incarnation, connection: request, what: 'opened' },
    { type: 'request-began', incarnation, connection: request, request },
    {
      type: 'request-whole',
      incarnation,
      request,
      method: 'POST',
      path: '/v1/refunds',
      mutating: true,
      key,
      bodySha256: 'body-1',
    },
  ];
}

function refusedConnection(incarnation: number, connection: number): readonly ObservedEvent[] {
  return [
    { type: 'connection', incarnation, connection, what: 'refused' },
    { type: 'fault-fired', incarnation, fault: 'partition', request: null },
  ];
}

/**
 * The contract of a fault: something the wire does wrong, once. A fault is data; the injector decides
 * when it strikes and the wire carries it out, so a fault works against every service alike.
 */
import type { WireFaultName } from '../model/fault-table.ts';
import type { Handling } from '../wire/wire.ts';

interface WireFaultFacts {
  readonly name: WireFaultName;
  /** The wire's events that show that it took effect, and what must be missing. */
  readonly proof: string;
}

/** What the injector was given besides the fault itself. */
export interface Circumstances {
  /** A whole reply of the service to somebody else's request, as bytes. */
  readonly foreignReply: Buffer | null;
  /** Milliseconds after which the client has given up. */
  readonly clientTimeoutMs: number;
  /** How the client loses a reply: its connection is reset, ends in order, or falls silent. Absent: it is reset. */
  readonly lostReply?: 'reset' | 'end' | 'silence';
}

/** Strikes the first request of its phase: a mutating one, or in the phase of looks any other. */
export interface RequestFault extends WireFaultFacts {
  readonly meets: 'request';
  readonly handling: Handling | ((circumstances: Circumstances) => Handling);
}

/** Strikes the first new connection of its phase, which is refused. */
export interface ConnectionFault extends WireFaultFacts {
  readonly meets: 'connection';
}

export type Fault = RequestFault | ConnectionFault;

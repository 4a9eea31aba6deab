/**
 * The contract of a fault: something the wire does wrong, once. A fault is data; the injector decides
 * when it strikes and the wire carries it out, so a fault works against every service alike.
 */
import type { FaultName } from '../model/cell.ts';
import type { Handling } from '../wire/wire.ts';

interface FaultFacts {
  readonly name: Exclude<FaultName, 'none'>;
  /** What happens, for people, as half a sentence. */
  readonly meaning: string;
  /** The wire's events that show that it took effect, and what must be missing. */
  readonly proof: string;
}

/** Strikes the first mutating request of its phase. */
export interface RequestFault extends FaultFacts {
  readonly meets: 'request';
  readonly handling: Handling;
}

/** Strikes the first new connection of its phase, which is refused. */
export interface ConnectionFault extends FaultFacts {
  readonly meets: 'connection';
}

export type Fault = RequestFault | ConnectionFault;

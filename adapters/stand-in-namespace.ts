/** A namespace of a stand-in of ours: what a rail may leave out, it has. */
import type { HeldRequest, RailFault, RailNamespace, RailWorldEvent } from './rail.ts';
import type { JsonObject } from './target.ts';

/** `Own`: the faults a stand-in has besides those of the contract, such as refusals in words of its own. */
export interface StandInNamespace<Own extends { readonly kind: string } = never>
  extends RailNamespace {
  readonly personCredentials: JsonObject;
  readonly can: readonly RailFault['kind'][];
  readonly worldEvents: readonly RailWorldEvent[];
  idle(): boolean;
  setClock(offsetMs: number): void;
  arm(fault: RailFault | Own, fired: () => void): void;
  world(event: RailWorldEvent, request: JsonObject): Promise<void>;
  hold(): HeldRequest;
  close(): Promise<void>;
}

/** How a target that is broken on purpose is declared. */
import type { JsonObject } from '../target.ts';

export interface BrokenTarget {
  readonly name: string;
  /** What it does, in one line for people. */
  readonly about: string;
  /** The sound target it is made from, by its name in the catalogue. */
  readonly over: string;
  /** Options that differ from those of the sound one. */
  readonly options?: { readonly target?: JsonObject; readonly rail?: JsonObject };
  /** The promise that must be seen to break, whatever else does. */
  readonly finding: string;
  /** Modules of this folder by the module of an adapter they stand in for; absent: only options differ. */
  readonly replaces?: Readonly<Record<string, string>>;
  readonly cells: readonly BrokenTargetCell[];
}

export interface BrokenTargetCell {
  /** Kill, fault, world and caller, as a cell's id has them behind the target. */
  readonly cell: string;
  /** All that must be found; the first cell that shows `finding` stands first. */
  readonly findings: readonly string[];
}

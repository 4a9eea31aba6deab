/** What a gate and a target are described by: where the modules stand, and which options they get. Types alone. */
import type { RailFault, RailWorldEvent } from '../../adapters/rail.ts';
import type { Endpoint, JsonObject, TargetDeclaration } from '../../adapters/target.ts';
import type { Condemnation } from '../model/condemned.ts';
import type { RuleName } from '../model/rules.ts';

export interface GateEntry {
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  readonly lacks: readonly RuleName[];
  /** Where one of those rules was removed on purpose: the cells that show it; absent: what is found is derived. */
  readonly condemned?: readonly Condemnation[] | undefined;
  /** A module to bundle and run with node, or a command that is run as it stands. */
  readonly run:
    | { readonly kind: 'module'; readonly module: string; readonly replaces?: Replacements }
    | { readonly kind: 'command'; readonly command: readonly string[] };
  /** Whoever opens it a database of its own for each trial, named to it in DATABASE_URL; absent: it needs none. */
  readonly database?: ModuleReference;
}

export interface ModuleReference {
  readonly module: string;
  readonly export: string;
  readonly options: JsonObject;
  readonly replaces?: Replacements;
}

/**
 * Modules that stand in for others in a bundle, by the path of what they stand in for. One that stands
 * in takes over what it does not change with `export * from` the original, which it alone still sees.
 */
export type Replacements = Readonly<Record<string, string>>;

export interface TargetEntry {
  readonly name: string;
  readonly about: string;
  readonly target: ModuleReference;
  readonly rail: ModuleReference;
  /** Where it was broken on purpose: the cells that show it; absent: it was not. */
  readonly condemned?: readonly Condemnation[] | undefined;
}

/** An entry whose declaration has been read from the module itself. */
export interface DeclaredTarget extends TargetEntry {
  readonly declaration: TargetDeclaration;
  /** The faults its rail can do, and whether it can move its clock. */
  readonly railCan: readonly RailFault['kind'][];
  readonly railMovesClock: boolean;
  /** The events of the world its rail can perform. */
  readonly railWorlds: readonly RailWorldEvent[];
  /** Whether its rail can stand still over an effect, and whether its examples name an amount to cap. */
  readonly railHolds: boolean;
  readonly railCaps: boolean;
  readonly railSpeaks: Endpoint['protocol'];
  /** Why nothing can be run against it here; null where it can. */
  readonly railUnavailable: string | null;
  /** Why nothing may be run against it with what was given; absent where it may. */
  readonly railRefused?: string;
}

export interface Catalogue {
  readonly gates: readonly GateEntry[];
  readonly targets: readonly TargetEntry[];
}

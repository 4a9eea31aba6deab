/** What a broken gate declares of itself. Types alone. */

export interface BrokenGate {
  readonly name: string;
  /** What it does, in one line for people. */
  readonly about: string;
  /** The rule that was removed, by its name in the harness. */
  readonly lacks: string;
  /** The promise that must be seen to break, whatever else does. */
  readonly finding: string;
  /**
   * Modules of this folder by the module of `gate/reference/` they stand in for; absent: a subject of its
   * own, in the module of its name.
   */
  readonly replaces?: Readonly<Record<string, string>>;
  readonly cells: readonly BrokenCell[];
}

export interface BrokenCell {
  /** Target, kill, fault, world and caller, as a cell's id has them behind the gate. */
  readonly cell: string;
  /** All that must be found; the first cell shows `finding`. */
  readonly findings: readonly string[];
}

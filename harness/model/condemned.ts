/**
 * What was broken on purpose, and what shows it. A gate or a target with one rule removed declares the
 * cells that show it and what must be found there; of no other cell anything can be told beforehand.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { type Cell, formatCellId } from './cell.ts';
import type { FindingName } from './findings.ts';
import { expectLacking } from './lacking.ts';
import { cannotMeet, found, type LackingExpectation } from './lacking-expectation.ts';
import type { RuleName } from './rules.ts';

/** One cell that shows a broken part, and all that must be found in it. */
export interface Condemnation {
  /** A cell's id, without a trial number. */
  readonly cell: string;
  readonly findings: readonly FindingName[];
}

/** What is known of the gate and the target of a cell before it runs. */
export interface Known {
  readonly gate: { readonly lacks: readonly RuleName[]; readonly condemned?: Condemned };
  readonly target: { readonly declaration: TargetDeclaration; readonly condemned?: Condemned };
}
type Condemned = readonly Condemnation[] | undefined;

/** Declared where either was broken on purpose, derived from the rules the gate lacks everywhere else. */
export function expectKnown({ gate, target }: Known, cell: Cell): LackingExpectation {
  const declared = gate.condemned ?? target.condemned;
  if (declared === undefined) return expectLacking(target.declaration, cell, gate.lacks);
  const sound = expectLacking(target.declaration, cell, []);
  if (sound.kind === 'cannot-meet') return sound;
  const id = formatCellId(cell);
  const shown = declared.find((condemnation) => condemnation.cell === id);
  return shown === undefined
    ? cannotMeet(
        'it is broken on purpose, and declares what is found only for the cells that show it',
      )
    : found(...shown.findings);
}

/** The declared findings of a cell; undefined where they are derived. */
export function declaredFindings(known: Known, cell: Cell): readonly FindingName[] | undefined {
  if ((known.gate.condemned ?? known.target.condemned) === undefined) return undefined;
  const expectation = expectKnown(known, cell);
  return expectation.kind === 'reachable' ? expectation.findings : undefined;
}

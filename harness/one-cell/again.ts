/** The command that runs a cell of a test again, outside of the test. Pure. */
import { relative } from 'node:path';
import type { GateEntry, ModuleReference, TargetEntry } from '../plan/catalogue.ts';
import type { CellSubjects } from './subjects.ts';

export interface RanCell {
  /** Kill, fault, world and caller. */
  readonly cell: string;
  readonly seed: number;
  readonly gate: GateEntry;
  readonly target: TargetEntry;
  readonly from: CellSubjects;
}

/** Quotes are for the ids: nothing in them is a shell's own, and a colon looks like it. */
export function againCommand({ cell, seed, gate, target, from }: RanCell): string {
  const isOwnTarget = typeof from.target !== 'string';
  const isOwnGate = from.gate !== undefined && typeof from.gate !== 'string';
  if (!isOwnTarget && !isOwnGate) {
    return `npx killpoint run '${gate.name}/${target.name}/${cell}/1' --seed ${seed}`;
  }
  if (isOwnGate) return `this test, which names its gate, with seed ${seed}`;
  return [
    `npx killpoint certify target ${shown(target.target)}`,
    `--rail ${shown(target.rail)}`,
    `--only '${gate.name}/${target.name}/${cell}'`,
    `--seed ${seed}`,
  ].join(' ');
}

function shown({ module }: ModuleReference): string {
  return `./${relative(process.cwd(), module)}`;
}

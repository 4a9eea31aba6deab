/** The command that runs a cell of a test again, outside of the test. Pure. */
import { relative } from 'node:path';
import type { JsonObject } from '../../adapters/target.ts';
import { certifyingGate } from '../certify/plan-certification.ts';
import type { GateEntry, ModuleReference, TargetEntry } from '../plan/catalogue-entry.ts';
import { type CellSubjects, usualExports } from './subjects.ts';

export interface RanCell {
  /** Kill, fault, world and caller. */
  readonly cell: string;
  readonly seed: number;
  readonly gate: GateEntry;
  readonly target: TargetEntry;
  readonly from: CellSubjects;
}

/** Where no command can name what was under test, the test itself is what runs it again. */
export function againCommand({ cell, seed, gate, target, from }: RanCell): string {
  const isOwnTarget = typeof from.target !== 'string';
  const isOwnGate = from.gate !== undefined && typeof from.gate !== 'string';
  if (!isOwnTarget && !isOwnGate) {
    return `npx killpoint run '${gate.name}/${target.name}/${cell}/1' --seed ${seed}`;
  }
  if (isOwnGate || gate.name !== certifyingGate) {
    return `this test, with seed ${seed}: no command names this gate and this target together`;
  }
  return [
    `npx killpoint certify target ${shown(target.target)} --rail ${shown(target.rail)}`,
    ...(target.target.export === usualExports.target
      ? []
      : [`--target-export ${target.target.export}`]),
    ...(target.rail.export === usualExports.rail ? [] : [`--rail-export ${target.rail.export}`]),
    ...optionsOf('--options', target.target.options),
    ...optionsOf('--rail-options', target.rail.options),
    `--only '${cell}' --seed ${seed}`,
  ].join(' ');
}

function optionsOf(flag: string, options: JsonObject): readonly string[] {
  if (Object.keys(options).length === 0) return [];
  return [`${flag} '${JSON.stringify(options).replaceAll("'", "'\\''")}'`];
}

function shown({ module }: ModuleReference): string {
  return `./${relative(process.cwd(), module)}`;
}

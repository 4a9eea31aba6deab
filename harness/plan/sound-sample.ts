/**
 * Cells of the sound gate with sound targets, drawn from the package's own matrices. Pure but for the
 * matrices, which are given.
 */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Matrix } from '../model/matrix.ts';
import type { DeclaredTarget, GateEntry } from './catalogue-entry.ts';
import { expandMatrix } from './plan.ts';

export interface SampleInput {
  readonly matrices: readonly Matrix[];
  readonly gate: GateEntry;
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
  readonly count: number;
  readonly seed: number;
}

/** Ids of trials, none twice: each cell once before any a second time. */
export function sampleSound(input: SampleInput): readonly string[] {
  const { matrices, gate, gates, targets, count, seed } = input;
  const cells = [
    ...new Set(
      matrices
        .flatMap((matrix) => expandMatrix({ matrix, gates, targets, trialsPerCell: 1 }).trials)
        .filter(({ cell }) => cell.gate === gate.name)
        .map(({ id }) => id.replace(/\/\d+$/, '')),
    ),
  ];
  if (cells.length === 0) return [];
  const generator = xoroshiro128plus(seed | 0);
  const sample: string[] = [];
  for (let trial = 1; sample.length < count; trial += 1) {
    const left = [...cells];
    while (left.length > 0 && sample.length < count) {
      const [cell] = left.splice(uniformInt(generator, 0, left.length - 1), 1);
      sample.push(`${cell}/${trial}`);
    }
  }
  return sample;
}

/** What a clue can ask of one condemned trial: what was found in it, and which cell it is. Pure. */
import { type Cell, faultNames, worldEvents } from '../model/cell.ts';
import type { FindingName } from '../model/findings.ts';
import { allKillPoints } from '../model/kill-points.ts';
import type { TrialRecord } from '../model/results.ts';
import type { Situation } from '../model/situation.ts';

/** One condemned trial. */
export interface Condemned {
  readonly cell: Cell;
  readonly situation: Situation;
  readonly found: ReadonlySet<FindingName>;
  readonly record: Pick<TrialRecord, 'o1' | 'o2'>;
}

export type Condition = (condemned: Condemned) => boolean;

export const found =
  (...names: readonly FindingName[]) =>
  ({ found }: Condemned) =>
    names.every((name) => found.has(name));
export const both =
  (...parts: readonly Condition[]): Condition =>
  (condemned) =>
    parts.every((part) => part(condemned));
export const not =
  (part: Condition): Condition =>
  (condemned) =>
    !part(condemned);
export const caller =
  (name: Cell['caller']): Condition =>
  ({ cell }) =>
    cell.caller === name;
export const faulted = begins(faultNames, ({ fault }) => fault.fault);
export const world = begins(worldEvents, ({ world }) => world);
export const killed = begins(allKillPoints, ({ kill }) => kill);
export const dedupes: Condition = ({ situation }) => situation.inRecovery === 'dedupes';
export const canBeAsked: Condition = ({ situation }) =>
  ['fence', 'bound', 'unbounded'].includes(situation.inRecovery);
export const paused: Condition = ({ cell }) => cell.paused === true;
export const sameAsk = caller('same-again');
export const saidWorking: Condition = ({ record }) =>
  [record.o1, record.o2].some((seen) => seen?.outcome?.outcome === 'unknown');

/** By how a name begins. Throws for a beginning that no name has: such a condition could never be met. */
function begins(
  names: readonly string[],
  read: (cell: Cell) => string,
): (...starts: readonly string[]) => Condition {
  return (...starts) => {
    const unmet = starts.filter((start) => !names.some((name) => name.startsWith(start)));
    if (unmet.length > 0) {
      throw new Error(`expected the beginning of ${names.join(', ')}, got ${unmet.join(', ')}`);
    }
    return ({ cell }) => starts.some((start) => read(cell).startsWith(start));
  };
}

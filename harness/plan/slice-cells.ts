/** From a slice of a matrix to its cells, the last axis counting fastest. Pure. */
import {
  type ArmedFault,
  allArmedFaults,
  type CallerBehaviour,
  type Cell,
  callerBehaviours,
  parseFault,
  parseKill,
  type WorldEvent,
  worldEvents,
} from '../model/cell.ts';
import { UsageError } from '../model/errors.ts';
import { killPointNames } from '../model/kill-points.ts';
import type { MatrixSlice } from '../model/matrix.ts';

export function cellsOf(slice: MatrixSlice): readonly Cell[] {
  const kills =
    slice.kills === 'all'
      ? killPointNames.map((kill) => ({ kill, recoveryKills: [] }))
      : slice.kills.map(knownKill);
  const faults: readonly ArmedFault[] =
    slice.faults === 'all' ? allArmedFaults : slice.faults.map(knownFault);
  const worlds: readonly WorldEvent[] = slice.worlds === 'all' ? worldEvents : slice.worlds;
  const callers: readonly CallerBehaviour[] =
    slice.callers === 'all' ? callerBehaviours : slice.callers;
  return slice.gates.flatMap((gate) =>
    slice.targets.flatMap((target) =>
      kills.flatMap((killed) =>
        faults.flatMap((fault) =>
          worlds.flatMap((world) =>
            callers.map((caller): Cell => ({ gate, target, ...killed, fault, world, caller })),
          ),
        ),
      ),
    ),
  );
}

function knownKill(text: string): Pick<Cell, 'kill' | 'recoveryKills'> {
  const killed = parseKill(text);
  if (killed === undefined) throw new UsageError(`unknown kill point "${text}"`);
  return killed;
}

function knownFault(text: string): ArmedFault {
  const fault = parseFault(text);
  if (fault === undefined) throw new UsageError(`unknown fault "${text}"`);
  return fault;
}

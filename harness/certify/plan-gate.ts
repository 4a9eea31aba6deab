/**
 * From what a gate announces to the cells it is tried in. Pure: the same gate, targets and seed give the
 * same plan. Where it announces a point it is killed there; where it announces none the wire finds the
 * places by itself.
 */
import type { AnnouncedPoint } from '../../gate/gate.ts';
import type { LeftOut } from '../../gate/protocol.ts';
import { callerFacts } from '../model/caller-table.ts';
import {
  allArmedFaults,
  type CallerBehaviour,
  type Cell,
  callerBehaviours,
  formatCellId,
  noFault,
  type Scenario,
  worldEvents,
} from '../model/cell.ts';
import {
  announcedPointOf,
  type KillPoint,
  killPointNames,
  recoveryPoints,
  wireKillPoints,
} from '../model/kill-points.ts';
import { submittedPremises } from '../model/mandate.ts';
import type { DeclaredTarget, GateEntry } from '../plan/catalogue-entry.ts';
import { type ExcludedCell, type Plan, planTrial, whyUnreachable } from '../plan/plan.ts';

export interface GatePlanInput {
  readonly gate: GateEntry;
  readonly targets: readonly DeclaredTarget[];
  /** Those it says it can announce. */
  readonly points: readonly AnnouncedPoint[];
  /** What it says it refuses because it can't do it. */
  readonly leavesOut: readonly LeftOut[];
  /** Why a cell is not for this kind of subject; null where it is. Absent: all are. */
  readonly notFor?: (cell: Cell) => string | null;
  readonly seed: number;
  readonly trialsPerCell: number;
}

/** Callers who ask after the restart are tried at every point, the others where most can go wrong. */
const callersEverywhere: readonly CallerBehaviour[] = ['changed-amount', 'storm'];
const underWay: readonly KillPoint[] = [
  'during_call:now',
  'during_call:never',
  'during_call:later',
];
const unsent = ['before_wal', 'after_wal_before_call', 'wire:connection'] as const;
const settled = ['after_commit_before_ack', 'wire:whole-reply'] as const;

export function planGate(input: GatePlanInput): Plan {
  const { gate, targets, seed, trialsPerCell } = input;
  const excluded: ExcludedCell[] = [];
  const reachable = targets.flatMap((target) =>
    scenarios(input.points)
      .map((scenario): Cell => ({ gate: gate.name, target: target.name, ...scenario }))
      .filter((cell) => {
        const exclusion = exclusionOf(cell, target, input);
        if (exclusion === null) return true;
        excluded.push({ id: formatCellId(cell), cell, ...exclusion });
        return false;
      }),
  );
  return {
    matrix: 'gate',
    title: `Certifying ${gate.name}`,
    seed,
    trials: reachable.flatMap((cell) =>
      Array.from({ length: trialsPerCell }, (_, index) => planTrial(cell, index + 1, seed)),
    ),
    excluded,
  };
}

function exclusionOf(
  cell: Cell,
  target: DeclaredTarget,
  { gate, leavesOut, notFor }: GatePlanInput,
): Pick<ExcludedCell, 'kind' | 'reason'> | null {
  if (target.railUnavailable !== null) {
    return { kind: 'unavailable', reason: target.railUnavailable };
  }
  const why = whyUnreachable(cell, gate, target);
  if (why !== null) return { kind: 'cannot-meet', reason: `cannot-meet: ${why}` };
  const unfit = notFor?.(cell) ?? null;
  if (unfit !== null) return { kind: 'on-purpose', reason: unfit };
  const missing = neededBy(cell, target).find((needed) => leavesOut.includes(needed));
  return missing === undefined
    ? null
    : { kind: 'on-purpose', reason: `the gate says that it leaves out ${missing}` };
}

function neededBy(cell: Cell, { declaration }: DeclaredTarget): readonly LeftOut[] {
  const { second } = callerFacts(cell.caller);
  return [
    ...(submittedPremises(declaration, cell.world).length > 0 ? (['premises'] as const) : []),
    ...(second === 'racing' ? (['caps'] as const) : []),
    ...(second !== 'none' || cell.caller === 'invented-reason' ? (['distinct'] as const) : []),
  ];
}

/** The points a kill can be placed at: those it announces, and those the wire finds. */
export function killsFor(points: readonly AnnouncedPoint[]): readonly KillPoint[] {
  const named = killPointNames.filter((kill) => {
    const announced = announcedPointOf(kill);
    return announced === null || points.includes(announced);
  });
  const announces = named.some((kill) => announcedPointOf(kill) !== null);
  return announces ? named : [...named, ...wireKillPoints.map(({ point }) => point)];
}

function scenarios(points: readonly AnnouncedPoint[]): readonly Scenario[] {
  const kills = killsFor(points);
  const plain = { recoveryKills: [], fault: noFault, world: 'none', caller: 'same-again' } as const;
  const has = (wanted: readonly KillPoint[]) => kills.filter((kill) => wanted.includes(kill));
  const [firstUnsent, firstSettled] = [has(unsent)[0], has(settled)[0]];
  const telling = [firstUnsent, ...has(underWay), firstSettled].filter(
    (kill) => kill !== undefined,
  );
  const otherCallers = callerBehaviours.filter(
    (caller) => caller !== 'same-again' && !callersEverywhere.includes(caller),
  );
  const recoveryKills = recoveryPoints.filter((point) => points.includes(`recovery:${point}`));
  return [
    ...kills.flatMap((kill) => allArmedFaults.map((fault) => ({ ...plain, kill, fault }))),
    ...kills.flatMap((kill) => callersEverywhere.map((caller) => ({ ...plain, kill, caller }))),
    ...telling.flatMap((kill) => otherCallers.map((caller) => ({ ...plain, kill, caller }))),
    ...worldEvents
      .filter((world) => world !== 'none')
      .flatMap((world) => telling.map((kill) => ({ ...plain, kill, world }))),
    ...has(underWay).flatMap((kill) =>
      recoveryKills.map((point) => ({ ...plain, kill, recoveryKills: [point] })),
    ),
    ...has(['after_wal_before_call', 'after_call_before_commit']).map((kill) => ({
      ...plain,
      kill,
      paused: true as const,
    })),
  ];
}

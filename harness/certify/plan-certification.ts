/**
 * From a declaration to the cells that prove or refute it, with the reference gate. Pure: the same
 * target and seed give the same plan, so that whoever reads a certificate can see that no cell is missing.
 */
import type { CallerBehaviour, Cell, Scenario, WorldEvent } from '../model/cell.ts';
import { allArmedFaults, formatCellId, noFault, worldEvents } from '../model/cell.ts';
import { killPointNames, type NamedKillPoint } from '../model/kill-points.ts';
import type { DeclaredTarget, GateEntry } from '../plan/catalogue-entry.ts';
import { type ExcludedCell, type Plan, planTrial, whyUnreachable } from '../plan/plan.ts';

/** The gate that must hold everywhere: what goes wrong behind it is the target's. */
export const certifyingGate = 'reference';

export interface CertificationInput {
  readonly gate: GateEntry;
  readonly target: DeclaredTarget;
  readonly seed: number;
  readonly trialsPerCell: number;
  /** Only these cells, by their ids without gate and target; null: all. */
  readonly cells: readonly string[] | null;
}

/** Callers whose answer depends on what was in the air are tried at every point, the others where it is told best. */
const callersEverywhere: readonly CallerBehaviour[] = [
  'changed-amount',
  'storm',
  'second-legitimate',
  'over-cap',
];
const callersSomewhere: readonly CallerBehaviour[] = [
  'fresh-id',
  'second-session',
  'invented-reason',
  'gives-up',
];
const tellingKills: readonly NamedKillPoint[] = ['after_wal_before_call', 'during_call:now'];
/** What can change meets every state of the effect there is: unsent, landed, still to land, answered. */
const killsInMovingWorld: readonly NamedKillPoint[] = [
  'after_wal_before_call',
  'during_call:now',
  'during_call:later',
  'after_call_before_commit',
];

export function planCertification(input: CertificationInput): Plan {
  const { gate, target, seed, trialsPerCell } = input;
  const cells = scenarios()
    .map((scenario): Cell => ({ gate: gate.name, target: target.name, ...scenario }))
    .filter((cell) => input.cells?.includes(scenarioId(cell)) ?? true);
  const excluded: ExcludedCell[] = [];
  const reachable = cells.filter((cell) => {
    const why = whyUnreachable(cell, gate, target);
    if (why === null) return true;
    const id = formatCellId(cell);
    excluded.push({ id, cell, kind: 'cannot-meet', reason: `cannot-meet: ${why}` });
    return false;
  });
  return {
    matrix: 'certificate',
    title: `Certifying ${target.name}`,
    seed,
    trials: reachable.flatMap((cell) =>
      Array.from({ length: trialsPerCell }, (_, index) => planTrial(cell, index + 1, seed)),
    ),
    excluded,
  };
}

/** `kill/fault/world/caller`: a cell's id without gate and target. */
export function scenarioId(cell: Cell): string {
  return formatCellId(cell).split('/').slice(2).join('/');
}

function scenarios(): readonly Scenario[] {
  const plain = { recoveryKills: [], fault: noFault, world: 'none', caller: 'same-again' } as const;
  const moving = worldEvents.filter(
    (world): world is Exclude<WorldEvent, 'none'> => world !== 'none',
  );
  return [
    ...killPointNames.flatMap((kill) => allArmedFaults.map((fault) => ({ ...plain, kill, fault }))),
    ...killPointNames.flatMap((kill) =>
      callersEverywhere.map((caller) => ({ ...plain, kill, caller })),
    ),
    ...tellingKills.flatMap((kill) =>
      callersSomewhere.map((caller) => ({ ...plain, kill, caller })),
    ),
    ...moving.flatMap((world) => killsInMovingWorld.map((kill) => ({ ...plain, kill, world }))),
  ];
}

/**
 * Gates and targets of a plan as results keep them, and back again as far as planning and judging
 * need them. Pure.
 */
import type { GateFacts, Results, TargetFacts } from '../model/results.ts';
import type { DeclaredTarget, GateEntry } from '../plan/catalogue-entry.ts';
import { type Plan, whyUnreachable } from '../plan/plan.ts';

export type Subjects = Pick<Results, 'gates' | 'targets'>;

export interface Entries {
  readonly gates: readonly GateEntry[];
  readonly targets: readonly DeclaredTarget[];
}

/** Only those that stand in the plan, in the catalogue's order. */
export function subjectsOf(plan: Plan, { gates, targets }: Entries): Subjects {
  const cells = [...plan.trials, ...plan.excluded].map(({ cell }) => cell);
  const gateNames = new Set(cells.map(({ gate }) => gate));
  const targetNames = new Set(cells.map(({ target }) => target));
  return {
    gates: gates
      .filter(({ name }) => gateNames.has(name))
      .map(({ name, lacks, condemned }) => ({
        name,
        lacks: [...lacks],
        ...declaredWith(condemned),
      })),
    targets: targets
      .filter(({ name }) => targetNames.has(name))
      .map((target) => ({
        name: target.name,
        declaration: target.declaration,
        railCan: [...target.railCan],
        railMovesClock: target.railMovesClock,
        railWorlds: [...target.railWorlds],
        railHolds: target.railHolds,
        railCaps: target.railCaps,
        railSpeaks: target.railSpeaks,
        railUnavailable: target.railUnavailable,
        ...declaredWith(target.condemned),
      })),
  };
}

function declaredWith(condemned: GateEntry['condemned']): Pick<GateFacts, 'condemned'> {
  if (condemned === undefined) return {};
  return { condemned: condemned.map(({ cell, findings }) => ({ cell, findings: [...findings] })) };
}

/** Entries to plan with; what stands in results can't be started. */
export function entriesOf({ gates, targets }: Subjects): Entries {
  return { gates: gates.map(gateEntry), targets: targets.map(targetEntry) };
}

/** Why the cell can't exist, from what was stored; null where it can. */
export function whyCannotMeet(
  cell: Parameters<typeof whyUnreachable>[0],
  { gate, target }: { readonly gate: GateFacts; readonly target: TargetFacts },
): string | null {
  return whyUnreachable(cell, gateEntry(gate), targetEntry(target));
}

function gateEntry(gate: GateFacts): GateEntry {
  return { ...gate, about: '', run: { kind: 'command', command: [] } };
}

function targetEntry(target: TargetFacts): DeclaredTarget {
  const nothing = { module: '', export: '', options: {} };
  return { ...target, about: '', target: nothing, rail: nothing };
}

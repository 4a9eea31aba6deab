/**
 * Where a scenario stands before anything happens: what the target's declaration amounts to, before the
 * outage, after it and in recovery, and the fault that was armed. Pure.
 */
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { ArmedFault, Scenario } from './cell.ts';
import { type FaultFacts, faultTable, type Phase } from './fault-table.ts';
import { submittedPremises, whatEnds } from './mandate.ts';
import type { WorldEvent } from './world-table.ts';

/** What recovery can still find out, strongest first. */
export const guaranteeClasses = [
  'dedupes',
  'window-over',
  'fence',
  'bound',
  'unbounded',
  'neither',
  'neither-marked',
] as const;
export type GuaranteeClass = (typeof guaranteeClasses)[number];

/** Column headings for people. */
export const guaranteeClassTitles: Readonly<Record<GuaranteeClass, string>> = {
  dedupes: 'dedupes, in window',
  'window-over': 'window over, no lookup',
  fence: 'lookup + fence',
  bound: 'lookup + bound',
  unbounded: 'lookup, no finality',
  neither: 'neither',
  'neither-marked': 'neither, mark of no return',
};

/** The class a declaration amounts to, with the dedupe window over or not. */
export function classify(declaration: TargetDeclaration, windowOver: boolean): GuaranteeClass {
  if (declaration.dedupe !== null && !windowOver) return 'dedupes';
  if (declaration.lookup !== null) {
    if (declaration.absence === 'fence') return 'fence';
    return declaration.absence === 'never' ? 'unbounded' : 'bound';
  }
  if (declaration.dedupe !== null) return 'window-over';
  return declaration.noReturnMark ? 'neither-marked' : 'neither';
}

export interface Situation {
  readonly atFirst: GuaranteeClass;
  readonly afterOutage: GuaranteeClass;
  /** What there is besides keys where a resend must not go out or tells nothing: a lookup, or nothing. */
  readonly withoutResend: GuaranteeClass;
  /** What recovery has to learn with: a resend only where one may go out. */
  readonly inRecovery: GuaranteeClass;
  /** False when the authority has died or a premise has changed by the time a send would be needed. */
  readonly maySend: boolean;
  readonly ends: 'nothing' | 'authority' | 'premises';
  /** Before every send the service is read, which faults of connections meet too. */
  readonly readsPremises: boolean;
  readonly fault: ArmedFault;
}

export function situationOf(declaration: TargetDeclaration, scenario: Scenario): Situation {
  const maySend = whatEnds(declaration, scenario.world) === 'nothing';
  const afterOutage = classify(declaration, outlastsWindow(declaration, scenario.world));
  const withoutResend = classify(declaration, true);
  return {
    atFirst: classify(declaration, false),
    afterOutage,
    withoutResend,
    inRecovery: afterOutage === 'dedupes' && !maySend ? withoutResend : afterOutage,
    maySend,
    ends: whatEnds(declaration, scenario.world),
    readsPremises: submittedPremises(declaration, scenario.world).length > 0,
    fault: scenario.fault,
  };
}

export function met(fault: ArmedFault): FaultFacts | null {
  return fault.fault === 'none' ? null : faultTable[fault.fault];
}

export function metIn(phase: Phase, fault: ArmedFault): FaultFacts | null {
  return phaseOf(fault) === phase ? met(fault) : null;
}

export function phaseOf(fault: ArmedFault): Phase | null {
  return fault.fault === 'none' ? null : fault.phase;
}

function outlastsWindow(declaration: TargetDeclaration, world: WorldEvent): boolean {
  return world === 'long-outage' && withinReachOf(declaration, Number.POSITIVE_INFINITY);
}

/** Whether the dedupe window ends within so many milliseconds of the first attempt. */
export function withinReachOf({ dedupe }: TargetDeclaration, durationMs: number): boolean {
  return dedupe !== null && dedupe.windowMs !== 'forever' && dedupe.windowMs <= durationMs;
}

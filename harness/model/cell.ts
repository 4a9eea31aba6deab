/**
 * A cell: one point of gate × target variant × kill point × fault × world event × caller behaviour,
 * and its readable, stable id.
 */
import { type CallerBehaviour, callerBehaviours } from './caller-table.ts';
import { type FaultKind, faultKinds, faultTable, type Phase, phaseNames } from './fault-table.ts';
import {
  allKillPoints,
  type KillPoint,
  type RecoveryPoint,
  recoveryPoints,
} from './kill-points.ts';
import { type WorldEvent, worldEvents } from './world-table.ts';

export const faultNames = ['none', ...faultKinds] as const;
export type FaultName = 'none' | FaultKind;
export {
  type CallerBehaviour,
  callerBehaviours,
  type Phase,
  phaseNames,
  type WorldEvent,
  worldEvents,
};

/** A fault and the phase it is armed for; `none` has no phase. */
export type ArmedFault =
  | { readonly fault: 'none' }
  | { readonly fault: Exclude<FaultName, 'none'>; readonly phase: Phase };

/** The part of a cell that does not name a gate or a target. */
export interface Scenario {
  readonly kill: KillPoint;
  /** Where recovery is killed too: the first recovery at the first of these, the next at the next. */
  readonly recoveryKills: readonly RecoveryPoint[];
  /** The first incarnation is stopped at its point instead of killed, and goes on after the caller has asked again. */
  readonly paused?: true | undefined;
  /** A second recoverer comes while the first stands still at this point. */
  readonly rivalAt?: RecoveryPoint | undefined;
  readonly fault: ArmedFault;
  readonly world: WorldEvent;
  readonly caller: CallerBehaviour;
}

export interface Cell extends Scenario {
  /** A gate's name in the catalogue, or the user's own name for it. */
  readonly gate: string;
  /** A target variant's name, such as `stripe.keyed`. */
  readonly target: string;
}

export const noFault: ArmedFault = { fault: 'none' };

/** `reply-lost@resend`, or `none`. */
export function formatFault(fault: ArmedFault): string {
  return fault.fault === 'none' ? 'none' : `${fault.fault}@${fault.phase}`;
}

/** Every fault in every phase it can be armed for, `none` first. */
export const allArmedFaults: readonly ArmedFault[] = [
  noFault,
  ...faultKinds.flatMap((fault) =>
    faultTable[fault].phases.map((phase): ArmedFault => ({ fault, phase })),
  ),
];

/** Undefined when the text names no fault in a phase. */
export function parseFault(text: string): ArmedFault | undefined {
  return allArmedFaults.find((fault) => formatFault(fault) === text);
}

export function formatCellId(cell: Cell): string {
  return [
    cell.gate,
    cell.target,
    formatKill(cell),
    formatFault(cell.fault),
    cell.world,
    cell.caller,
  ].join('/');
}

type Killed = Pick<Scenario, 'kill' | 'recoveryKills' | 'paused' | 'rivalAt'>;

/**
 * `after_wal_before_call`, and what else happens to processes: `+owned+before-resend` where recovery
 * is killed too, `+paused` where the first is only stopped, `+rival@owned` where a second recovers.
 */
export function formatKill({ kill, recoveryKills, paused, rivalAt }: Killed): string {
  return [
    kill,
    ...recoveryKills,
    ...(paused === true ? ['paused'] : []),
    ...(rivalAt === undefined ? [] : [`rival@${rivalAt}`]),
  ].join('+');
}

/** Undefined when the text names no kill point, or anything behind it that does not exist. */
export function parseKill(text: string): Killed | undefined {
  const [kill, ...more] = text.split('+');
  if (!isOneOf(allKillPoints, kill)) return undefined;
  const rivals = more.filter((word) => word.startsWith('rival@')).map((word) => word.slice(6));
  const recoveryKills = more.filter((word) => word !== 'paused' && !word.startsWith('rival@'));
  const [rivalAt] = rivals;
  if (rivals.length > 1 || !recoveryKills.every((point) => isOneOf(recoveryPoints, point)))
    return undefined;
  if (rivalAt !== undefined && !isOneOf(recoveryPoints, rivalAt)) return undefined;
  const whole: Killed = {
    kill,
    recoveryKills: recoveryKills as readonly RecoveryPoint[],
    ...(more.includes('paused') ? { paused: true } : {}),
    ...(rivalAt === undefined ? {} : { rivalAt }),
  };
  // One way to write each: what reads back differently was not one of ours.
  return formatKill(whole) === text ? whole : undefined;
}

export function formatTrialId(cell: Cell, trial: number): string {
  return `${formatCellId(cell)}/${trial}`;
}

export type ParsedId =
  | { readonly kind: 'id'; readonly cell: Cell; readonly trial: number | null }
  | { readonly kind: 'not-an-id'; readonly why: string };

/** Reads `gate/target/kill/fault/world/caller` with or without a trial number. */
export function parseId(text: string): ParsedId {
  const parts = text.split('/');
  const [gate, target, kill, faultText, world, caller, trialText] = parts;
  if (parts.length < 6 || parts.length > 7 || !gate || !target) {
    return notAnId(
      text,
      'expected gate/target/kill/fault/world/caller, and a trial number if one is meant',
    );
  }
  const killed = parseKill(kill ?? '');
  if (killed === undefined) {
    return unknownPart('kill point', kill, [
      ...allKillPoints,
      ...recoveryPoints.map((point) => `…+${point}`),
    ]);
  }
  const fault = parseFault(faultText ?? '');
  if (fault === undefined) return unknownPart('fault', faultText, allArmedFaults.map(formatFault));
  if (!isOneOf(worldEvents, world)) return unknownPart('world event', world, worldEvents);
  if (!isOneOf(callerBehaviours, caller))
    return unknownPart('caller behaviour', caller, callerBehaviours);
  if (trialText !== undefined && !/^[1-9]\d{0,5}$/.test(trialText)) {
    return notAnId(text, `the trial number must be a whole number from 1, got "${trialText}"`);
  }
  const cell: Cell = { gate, target, ...killed, fault, world, caller };
  return { kind: 'id', cell, trial: trialText === undefined ? null : Number(trialText) };
}

function isOneOf<T extends string>(names: readonly T[], text: string | undefined): text is T {
  return names.some((name) => name === text);
}

function unknownPart(what: string, got: string | undefined, known: readonly string[]): ParsedId {
  return { kind: 'not-an-id', why: `unknown ${what} "${got ?? ''}"; known: ${known.join(', ')}` };
}

function notAnId(text: string, why: string): ParsedId {
  return { kind: 'not-an-id', why: `"${text}": ${why}` };
}

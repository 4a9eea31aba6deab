/** Why a scenario can't exist: for this service, in this world, or by the time of the outage. Pure. */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { callerFacts } from './caller-table.ts';
import type { ArmedFault, Scenario } from './cell.ts';
import type { First } from './expect-first.ts';
import { met, phaseOf, type Situation, withinReachOf } from './situation.ts';
import {
  beyondLeaseMs,
  leaseLifeMs,
  shortestWindowToStayInMs,
  type WorldEvent,
} from './world-table.ts';

/** Why this service can't do wrong in this way, or null. */
export function unmetByTarget(situation: Situation, fault: ArmedFault): string | null {
  const needs = met(fault)?.needs ?? 'nothing';
  if (needs === 'a-read' && situation.inRecovery === 'fence') {
    return 'a fence is planted, nothing is read that could be old or on another page';
  }
  return needs === 'stored-keys' && situation.atFirst !== 'dedupes'
    ? 'only a service that stores keys can do this'
    : null;
}

/** Why this world can't come together with the rest of the scenario, or null. */
export function unmetByWorld(
  declaration: TargetDeclaration,
  situation: Situation,
  { world, fault, kill, caller }: Scenario,
): string | null {
  if (world.startsWith('premise-changed') && !situation.readsPremises) {
    return 'the target captures no premise of that kind';
  }
  if (world === 'done-by-hand' && declaration.onceByState && !situation.readsPremises) {
    return 'the service itself refuses what was done by hand, and no premise says so before';
  }
  if (world === 'undone-by-hand' && declaration.lookup?.seesDeletions === false) {
    return 'a lookup that does not see deletions can’t tell what was undone from what never was';
  }
  if (world === 'outage-in-window' && !endsLateEnough(declaration)) {
    return 'there is no dedupe window with an end that a trial could stay inside of';
  }
  if (
    world === 'authority-expired' &&
    withinReachOf(declaration, leaseLifeMs + 2 * beyondLeaseMs)
  ) {
    return 'the window ends before the lease would';
  }
  if (situation.ends === 'premises' && callerFacts(caller).second !== 'none') {
    return 'which of two decisions a request is for can’t be told, and only one stands on a stale premise';
  }
  if (!situation.readsPremises) return null;
  const facts = met(fault);
  if (facts?.reached === false && ['first-send', 'caller'].includes(phaseOf(fault) ?? '')) {
    return 'the reading of the premises meets the connection before the send does';
  }
  if (fault.fault === 'paged' || fault.fault === 'paged-changing') {
    return 'the look-alikes would themselves change the premises';
  }
  return kill.startsWith('wire:')
    ? 'the wire can’t tell the reading of the premises from the call by its first bytes'
    : null;
}

function endsLateEnough({ dedupe }: TargetDeclaration): boolean {
  if (dedupe === null || dedupe.windowMs === 'forever') return false;
  return dedupe.windowMs >= shortestWindowToStayInMs;
}

/** Why the outage can't change what it is to change, or null. */
export function unmetInOutage(
  { onceByState, guardsPremises }: TargetDeclaration,
  world: WorldEvent,
  first: Exclude<First, { kind: 'cannot-meet' }>,
): string | null {
  if (world === 'undone-by-hand') {
    const isThere =
      (first.kind === 'in-flight' && first.sent.landing === 'now') ||
      (first.kind === 'recorded' && first.endings.every((ending) => ending.effects === 1));
    return isThere ? null : 'nothing is certain to be there yet that could be undone';
  }
  if (world === 'done-by-hand' && onceByState && mayLand(first)) {
    return 'what the service permits once is there already';
  }
  if (world === 'premise-changed' && guardsPremises && mayLand(first)) {
    return 'what it was decided on can’t change any more once it has taken effect';
  }
  const landsLater = first.kind === 'in-flight' && first.sent.landing === 'later';
  return world === 'rail-restarted' && landsLater
    ? 'what the service had not finished when it restarts can’t land later'
    : null;
}

function mayLand(first: Exclude<First, { kind: 'cannot-meet' }>): boolean {
  switch (first.kind) {
    case 'nothing-sent-nothing-recorded':
      return false;
    case 'in-flight':
      return first.sent.landing !== 'never';
    case 'recorded':
      return first.endings.some((ending) => ending.effects > 0);
    case 'answered-perhaps-recorded':
      return true;
    default:
      return first satisfies never;
  }
}

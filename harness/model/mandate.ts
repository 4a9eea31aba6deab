/**
 * What a decision stands on in a trial: which premises the request is submitted with, and what is dead
 * or stale after the outage. Pure; the trial, the expectation and the checkers ask it.
 */
import type { Premise, TargetDeclaration } from '../../adapters/target.ts';
import { type WorldEvent, worldFacts } from './world-table.ts';

/** The kinds of premises the target can capture among those the world event is about. */
export function submittedPremises(
  declaration: TargetDeclaration,
  world: WorldEvent,
): readonly Premise['kind'][] {
  return worldFacts(world).premises.filter((kind) => declaration.premises.includes(kind));
}

/** A fact that no premise speaks of may change without ending anything. */
export function whatEnds(
  declaration: TargetDeclaration,
  world: WorldEvent,
): 'nothing' | 'authority' | 'premises' {
  const { ends } = worldFacts(world);
  if (ends !== 'premises') return ends;
  return submittedPremises(declaration, world).length === 0 ? 'nothing' : 'premises';
}

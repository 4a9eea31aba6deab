/** What must be found against a gate that records, refuses, and calls nobody: nothing ever happens. */
import type { CallerBehaviour, Scenario } from './cell.ts';
import { cannotMeet, found, type LackingExpectation } from './lacking-expectation.ts';

export function neverActs({ kill, fault, world, caller }: Scenario): LackingExpectation {
  if (world !== 'none')
    return cannotMeet('what such a gate does in a changing world is not derived');
  if (!derivedCallers.includes(caller)) {
    return cannotMeet(`what such a gate says to ${caller} is not derived`);
  }
  if (kill !== 'before_wal' && kill !== 'after_commit_before_ack') {
    return cannotMeet('the gate never calls, so it has no attempt to be killed in');
  }
  if (fault.fault !== 'none') return cannotMeet('the gate never calls, so no fault can meet it');
  // Killed before it refused and then asked for another amount, nobody was owed an effect.
  const owedNothing = kill === 'before_wal' && caller === 'changed-amount';
  return owedNothing ? found('needless-refusal') : found('lost-effect', 'needless-refusal');
}

const derivedCallers: readonly CallerBehaviour[] = ['same-again', 'changed-amount', 'storm'];

/** Stands in for `reference/outcome.ts`: what is unknown is receipted as executed. */
import type { Outcome } from '../gate.ts';
import { outcomeOf as sound } from '../reference/outcome.ts';

export * from '../reference/outcome.ts';

export function outcomeOf(...given: Parameters<typeof sound>): Outcome {
  const outcome = sound(...given);
  const { receipt } = outcome;
  if (receipt?.facts.executed !== 'unknown') return outcome;
  return { ...outcome, receipt: { ...receipt, facts: { ...receipt.facts, executed: 'yes' } } };
}

/** Stands in for `email/keyed/declaration.ts`: keys are said to be kept for a week. */
import { declare as sound } from '../email/keyed/declaration.ts';
import type { TargetDeclaration } from '../target.ts';

export * from '../email/keyed/declaration.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;

export function declare(...options: Parameters<typeof sound>): TargetDeclaration {
  return { ...sound(...options), dedupe: { windowMs: weekMs } };
}

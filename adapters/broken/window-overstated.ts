/** Stands in for `stripe/declaration.ts`: keys are said to be kept for a week. */
import { declare as sound } from '../stripe/declaration.ts';
import type { TargetDeclaration } from '../target.ts';

export * from '../stripe/declaration.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;

export function declare(...options: Parameters<typeof sound>): TargetDeclaration {
  return { ...sound(...options), dedupe: { windowMs: weekMs } };
}

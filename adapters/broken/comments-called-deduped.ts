/** Stands in for `github/declaration.ts`: keys are said to be honoured, of which GitHub knows nothing. */
import * as sound from '../github/declaration.ts';
import type { TargetDeclaration } from '../target.ts';

export * from '../github/declaration.ts';

export function declare(...given: Parameters<typeof sound.declare>): TargetDeclaration {
  return { ...sound.declare(...given), dedupe: { windowMs: 'forever' } };
}

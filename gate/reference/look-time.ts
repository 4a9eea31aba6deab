/** When a look may start. */
import type { TargetDeclaration } from '../../adapters/target.ts';

/**
 * How long after the last sender fell silent a look may start. A fence stops what is still on its
 * way, so it needs no wait; a bound is worth nothing before it has passed, and an index lags.
 */
export function lookNotBeforeMs(declaration: TargetDeclaration): number {
  const lagMs = declaration.lookup?.lagMs ?? 0;
  if (declaration.absence === 'fence') return 0;
  return declaration.absence === 'never' ? lagMs : declaration.absence.landingBoundMs + lagMs;
}

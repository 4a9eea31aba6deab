/** Stands in for `reference/look-time.ts`: what has not come into the lists yet is not there. */
import type { TargetDeclaration } from '../../adapters/target.ts';
import { lookNotBeforeMs as notBeforeMs } from '../reference/look-time.ts';

export * from '../reference/look-time.ts';

export function lookNotBeforeMs(declaration: TargetDeclaration): number {
  return notBeforeMs({ ...declaration, lookup: null });
}

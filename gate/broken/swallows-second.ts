/** Stands in for `reference/identity.ts`: nothing sets a second, equal effect apart. */
import type { JsonObject } from '../../adapters/target.ts';
import { identifyRequest as identify } from '../reference/identity.ts';

export * from '../reference/identity.ts';

export function identifyRequest(target: Parameters<typeof identify>[0], asked: JsonObject) {
  const { distinct: _, ...request } = asked;
  return identify(target, request);
}

/** Stands in for `stripe/premises.ts`: what is checked was captured just before, and so always holds. */

import { capturePremises, checkPremises as check } from '../stripe/premises.ts';
import type { PremiseCheck } from '../target.ts';

export * from '../stripe/premises.ts';

export async function checkPremises(
  ...[reader, request, { ownKey }]: Parameters<typeof check>
): Promise<PremiseCheck> {
  const premises = await capturePremises(reader, request);
  return await check(reader, request, { premises, ownKey });
}

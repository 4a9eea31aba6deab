/**
 * Stands in for `stripe/premises.ts`: premises are kept in memory, and a process that has none captures
 * its own, which always hold.
 */

import { capturePremises as capture, checkPremises as check } from '../stripe/premises.ts';
import type { Premise, PremiseCheck } from '../target.ts';

export * from '../stripe/premises.ts';

const kept = new Map<string, readonly Premise[]>();

export async function capturePremises(
  ...[reader, request]: Parameters<typeof capture>
): Promise<readonly Premise[]> {
  const premises = await capture(reader, request);
  kept.set(request.paymentIntent, premises);
  return premises;
}

export async function checkPremises(
  ...[reader, request, { ownKey }]: Parameters<typeof check>
): Promise<PremiseCheck> {
  const premises = kept.get(request.paymentIntent) ?? (await capturePremises(reader, request));
  return await check(reader, request, { premises, ownKey });
}

/** Stands in for `stripe/refund-call.ts`: the refund carries no stamp. */
import type Stripe from 'stripe';
import { parametersOf as soundParametersOf } from '../stripe/refund-call.ts';

export * from '../stripe/refund-call.ts';

export function parametersOf(
  ...call: Parameters<typeof soundParametersOf>
): Stripe.RefundCreateParams {
  const { metadata: _, ...unstamped } = soundParametersOf(...call);
  return unstamped;
}

/** Stands in for `stripe/refund-call.ts`: the key stays at home. */
import type Stripe from 'stripe';

export * from '../stripe/refund-call.ts';

export function optionsOf(): Stripe.RequestOptions {
  return {};
}

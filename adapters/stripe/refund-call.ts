/** What goes out for a refund: its parameters with our stamp, and beside them the key. */
import type Stripe from 'stripe';
import type { RefundRequest } from './request.ts';
import { stampedWith } from './stamp.ts';

export function parametersOf(refund: RefundRequest, key: string): Stripe.RefundCreateParams {
  return {
    payment_intent: refund.paymentIntent,
    amount: refund.amountMinor,
    metadata: stampedWith(key),
    ...(refund.reason === null ? {} : { reason: refund.reason }),
  };
}

export function optionsOf(key: string): Stripe.RequestOptions {
  return { idempotencyKey: key };
}

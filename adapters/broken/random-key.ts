/** Stands in for `stripe/refund-call.ts`: every attempt goes out under a key of its own. */
import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';

export * from '../stripe/refund-call.ts';

export function optionsOf(): Stripe.RequestOptions {
  return { idempotencyKey: randomUUID() };
}

/** Stands in for `stripe/sdk-settings.ts`: the SDK sends again by itself, as it does unless told not to. */
import type Stripe from 'stripe';
import { sdkSettings as sound } from '../stripe/sdk-settings.ts';

export * from '../stripe/sdk-settings.ts';

export function sdkSettings(...given: Parameters<typeof sound>): Stripe.StripeConfig {
  return { ...sound(...given), maxNetworkRetries: 2 };
}

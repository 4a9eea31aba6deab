/** How the SDK is set up so that one call is one request. */
import type Stripe from 'stripe';

/** The version the SDK's types describe; written out so that an upgrade of the SDK is seen here first. */
const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;

export interface SdkSurroundings {
  readonly address: Pick<Stripe.StripeConfig, 'protocol' | 'host' | 'port'>;
  readonly httpClient: Stripe.HttpClient;
  readonly clientTimeoutMs: number;
}

export function sdkSettings({
  address,
  httpClient,
  clientTimeoutMs,
}: SdkSurroundings): Stripe.StripeConfig {
  return {
    ...address,
    httpClient,
    apiVersion,
    // The SDK's own timeout counts only silence; the client's deadline comes first and counts everything.
    timeout: 2 * clientTimeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    emitEventBodies: false,
  };
}

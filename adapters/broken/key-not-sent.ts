/**
 * Stands in for `stripe/single-send-client.ts`: the key is lost on the way out. (A call that names none to
 * the SDK would not do: the SDK makes one up.)
 */
import type Stripe from 'stripe';
import {
  createSingleSendClient as open,
  type SingleSendClient,
} from '../stripe/single-send-client.ts';

export * from '../stripe/single-send-client.ts';

export function createSingleSendClient(...given: Parameters<typeof open>): SingleSendClient {
  const client = open(...given);
  const makeRequest: Stripe.HttpClient['makeRequest'] = (
    host,
    port,
    path,
    method,
    headers,
    ...rest
  ) => {
    const { 'Idempotency-Key': _, ...keyless } = headers as Record<string, string>;
    return client.makeRequest(host, port, path, method, keyless, ...rest);
  };
  return { ...client, makeRequest };
}

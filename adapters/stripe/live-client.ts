/**
 * The harness's own client of a live Stripe. In: settings. Out: the official SDK with keys of our own,
 * and errors in words that hold no key. The subject and its target never see it.
 */
import { Agent } from 'node:https';
import Stripe from 'stripe';
import type { Endpoint } from '../target.ts';

/** The version this rail is written for. */
const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;
/** What is asked here is asked of a healthy service, past the wire: it is waited for longer than a subject would. */
const timeoutMs = 20_000;
/** The SDK sends the same key again, so that nothing is made twice. */
const maxNetworkRetries = 2;

export interface LiveClient {
  /** Rejects with what Stripe said, without a key in it. */
  call<T>(what: string, use: (stripe: Stripe) => Promise<T>): Promise<T>;
  close(): void;
}

/** What Stripe answered a call that did not do. Absent: it did not answer. */
export class LiveCallError extends Error {
  override readonly name = 'LiveCallError';
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message);
    this.status = status;
  }
}

export function openLiveClient({
  apiKey,
  endpoint,
}: {
  readonly apiKey: string;
  readonly endpoint: Endpoint;
}): LiveClient {
  const { host, port, caPem } = endpoint;
  const agent = new Agent({ keepAlive: true, ...(caPem === undefined ? {} : { ca: caPem }) });
  const stripe = new Stripe(apiKey, {
    protocol: 'https',
    host,
    port,
    httpAgent: agent,
    apiVersion,
    timeout: timeoutMs,
    maxNetworkRetries,
    telemetry: false,
  });
  return {
    async call(what, use) {
      try {
        return await use(stripe);
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        const status = error instanceof Stripe.errors.StripeError ? error.statusCode : undefined;
        const answered = status === undefined ? 'no answer' : `status ${status}`;
        // Without its cause: that one holds what was sent and said.
        throw new LiveCallError(
          `Stripe at ${host}: expected to ${what}; came ${answered}: ${withoutKeys(said, apiKey)}`,
          status,
        );
      }
    },
    close: () => agent.destroy(),
  };
}

/** Stripe shows the ends of a key it does not know, with stars between. */
function withoutKeys(text: string, apiKey: string): string {
  return text.replaceAll(apiKey, '[key]').replaceAll(/\b[a-z]{2}_(test|live|org)_[\w*]+/g, '[key]');
}

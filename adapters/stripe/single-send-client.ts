/**
 * The HTTP client under the SDK. In: one request of the SDK's. Out: one answer, or a NoAnswerError
 * that says why there is none. It must never put a second request on the wire, and never let a call
 * live longer than its deadline.
 *
 * The SDK's own client falls short of both: it sends again, even with `maxNetworkRetries: 0`, when
 * an error carries the code ECONNRESET or EPIPE, and its timeout is one of silence, so that an
 * answer that trickles, or a connection that never opens, holds the caller for ever.
 */
import Stripe from 'stripe';
import { createCallOpener } from '../single-send.ts';
import type { Endpoint } from '../target.ts';

export interface SingleSendClient extends Stripe.HttpClient {
  /** Cuts every call under way; they end as connection failures. */
  destroy(): void;
}

export function createSingleSendClient(
  endpoint: Endpoint,
  clientTimeoutMs: number,
): SingleSendClient {
  const calls = createCallOpener(endpoint, clientTimeoutMs);

  const makeRequest: Stripe.HttpClient['makeRequest'] = async (...request) => {
    const call = calls.open();
    const noAnswer = (error: unknown, status: number | null) => {
      call.end();
      return call.explain(error, status);
    };
    try {
      const response = await Stripe.createNodeHttpClient(call.agent).makeRequest(...request);
      return {
        getStatusCode: () => response.getStatusCode(),
        getHeaders: () => response.getHeaders(),
        getRawResponse: () => response.getRawResponse(),
        toStream: (whenRead) => response.toStream(whenRead),
        toJSON: async () => {
          try {
            const body = requireObject(await response.toJSON());
            call.end();
            return body;
          } catch (error) {
            throw noAnswer(error, response.getStatusCode());
          }
        },
        dispose: () => {
          call.end();
          call.cut();
        },
      };
    } catch (error) {
      throw noAnswer(error, null);
    }
  };

  return { getClientName: () => 'node', makeRequest, destroy: () => calls.destroy() };
}

/** The SDK sets a property on what it is handed, and an answer of `true` or `"ok"` kills the process there. */
function requireObject(body: unknown): object {
  if (typeof body === 'object' && body !== null) return body;
  throw new Error(`the body is ${body === null ? 'null' : `a ${typeof body}`}, not an object`);
}

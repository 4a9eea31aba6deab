/**
 * The HTTP client under the SDK. In: one request of the SDK's. Out: one answer, or a NoAnswerError
 * that says why there is none. It must never put a second request on the wire, and never let a call
 * live longer than its deadline.
 *
 * The SDK's own client falls short of both: it sends again, even with `maxNetworkRetries: 0`, when
 * an error carries the code ECONNRESET or EPIPE, and its timeout is one of silence, so that an
 * answer that trickles, or a connection that never opens, holds the caller for ever.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Stripe from 'stripe';
import type { Endpoint } from '../target.ts';

/** A call that ended without an answer that can be read. Has no `code`, on which the SDK would send again. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly kind: 'connection' | 'timeout' | 'unreadable';
  /** The status, when at least that had come. */
  readonly status: number | null;

  constructor(kind: NoAnswerError['kind'], message: string, status: number | null) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

export interface SingleSendClient extends Stripe.HttpClient {
  /** Cuts every call under way; they end as connection failures. */
  destroy(): void;
}

export function createSingleSendClient(
  endpoint: Endpoint,
  clientTimeoutMs: number,
): SingleSendClient {
  const openAgents = new Set<HttpAgent>();

  const makeRequest: Stripe.HttpClient['makeRequest'] = async (...request) => {
    const agent = createAgent(endpoint);
    openAgents.add(agent);
    let isLate = false;
    const deadline = afterReading(clientTimeoutMs, () => {
      isLate = true;
      agent.destroy();
    });
    const finish = () => {
      deadline.cancel();
      openAgents.delete(agent);
    };
    const noAnswer = (error: unknown, status: number | null) => {
      finish();
      if (isLate || codeOf(error) === 'ETIMEDOUT') {
        return new NoAnswerError('timeout', `no whole answer within ${clientTimeoutMs} ms`, status);
      }
      const hasAnswered = status !== null || codeOf(error).startsWith('HPE_');
      return new NoAnswerError(hasAnswered ? 'unreadable' : 'connection', describe(error), status);
    };
    try {
      const response = await Stripe.createNodeHttpClient(agent).makeRequest(...request);
      return {
        getStatusCode: () => response.getStatusCode(),
        getHeaders: () => response.getHeaders(),
        getRawResponse: () => response.getRawResponse(),
        toStream: (whenRead) => response.toStream(whenRead),
        toJSON: async () => {
          try {
            const body = requireObject(await response.toJSON());
            finish();
            return body;
          } catch (error) {
            throw noAnswer(error, response.getStatusCode());
          }
        },
        dispose: () => {
          finish();
          agent.destroy();
        },
      };
    } catch (error) {
      throw noAnswer(error, null);
    }
  };

  return {
    getClientName: () => 'node',
    makeRequest,
    destroy: () => {
      for (const agent of openAgents) agent.destroy();
    },
  };
}

/** Turns of the event loop in which an answer that is already here is read to its end. */
const readingTurns = 4;

/**
 * Fires `durationMs` from now, but first reads what has come: when the process itself was held up,
 * the timer is due before the answer in the socket's buffer has been looked at, and giving up then
 * would be an unknown for nothing.
 */
function afterReading(durationMs: number, fire: () => void): { cancel(): void } {
  let isCancelled = false;
  const turn = (left: number): void => {
    if (isCancelled) return;
    if (left === 0) fire();
    else setImmediate(() => turn(left - 1));
  };
  const timer = setTimeout(() => turn(readingTurns), durationMs);
  return {
    cancel() {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}

/**
 * One agent a call, so that a deadline can cut exactly that call's socket. Connections are not kept:
 * a kept one that the service has closed meanwhile fails only after the request was written to it,
 * and nobody can say any more whether it was read, which is an unknown for nothing.
 */
function createAgent({ protocol, caPem }: Endpoint): HttpAgent {
  if (protocol !== 'https') return new HttpAgent({ keepAlive: false });
  return new HttpsAgent({ keepAlive: false, ...(caPem === undefined ? {} : { ca: caPem }) });
}

/** The SDK sets a property on what it is handed, and an answer of `true` or `"ok"` kills the process there. */
function requireObject(body: unknown): object {
  if (typeof body === 'object' && body !== null) return body;
  throw new Error(`the body is ${body === null ? 'null' : `a ${typeof body}`}, not an object`);
}

/** Node's HTTP parser names what it can't read HPE_…; the SDK's own timeout is an ETIMEDOUT. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * What every HTTP target needs to send once and to end in time. In: where the service is and how
 * long it is waited for. Out: an agent for one call, and what it means when the call brings no answer.
 *
 * A call has sockets of its own, so that its deadline cuts exactly those. Connections are not kept: a
 * kept one that the service has closed meanwhile fails only after the request was written to it, and
 * nobody can say any more whether it was read, which is an unknown for nothing.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { afterReading } from './after-reading.ts';
import type { Endpoint } from './target.ts';

/** A call that ended without an answer that can be read. Has no `code`, by which client libraries decide to send again. */
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

/** One call. Whoever opens it ends it. */
export interface SingleCall {
  readonly agent: HttpAgent;
  /** What a failure under this call means; `status` is what had come of the answer. */
  explain(error: unknown, status: number | null): NoAnswerError;
  /** The answer is read: the deadline no longer counts. */
  end(): void;
  /** Cuts the sockets; what is under way fails as a connection. */
  cut(): void;
}

export interface CallOpener {
  open(): SingleCall;
  /** Cuts every call that has not ended. */
  destroy(): void;
}

/** `clientTimeoutMs` counts from `open` to the last byte of the answer, and not only silence. */
export function createCallOpener(endpoint: Endpoint, clientTimeoutMs: number): CallOpener {
  const openCalls = new Set<SingleCall>();
  const open = (): SingleCall => {
    const agent = createAgent(endpoint);
    let isLate = false;
    const deadline = afterReading(clientTimeoutMs, () => {
      isLate = true;
      agent.destroy();
    });
    const call: SingleCall = {
      agent,
      explain(error, status) {
        if (isLate || codeOf(error) === 'ETIMEDOUT') {
          const message = `no whole answer within ${clientTimeoutMs} ms`;
          return new NoAnswerError('timeout', message, status);
        }
        const hasAnswered = status !== null || codeOf(error).startsWith('HPE_');
        return new NoAnswerError(
          hasAnswered ? 'unreadable' : 'connection',
          describe(error),
          status,
        );
      },
      end() {
        deadline.cancel();
        openCalls.delete(call);
      },
      cut() {
        agent.destroy();
      },
    };
    openCalls.add(call);
    return call;
  };
  return {
    open,
    destroy: () => {
      for (const call of openCalls) call.cut();
    },
  };
}

function createAgent({ protocol, caPem }: Endpoint): HttpAgent {
  if (protocol !== 'https') return new HttpAgent({ keepAlive: false });
  return new HttpsAgent({ keepAlive: false, ...(caPem === undefined ? {} : { ca: caPem }) });
}

/** Node's HTTP parser names what it can't read HPE_…; a client library's own timeout is an ETIMEDOUT. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

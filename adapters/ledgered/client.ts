/**
 * The ledger's HTTP. In: one request and the call it belongs to. Out: one answer, read to its end, or
 * a NoAnswerError. It never sends a request again, and it keeps no connection.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Reply, readJsonReply } from '../json-reply.ts';
import type { SingleCall } from '../single-send.ts';
import type { Endpoint, JsonObject } from '../target.ts';

export interface LedgerRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: JsonObject;
  /**
   * Called when the service has asked for the body and has all of it but the last byte. What it
   * throws ends the request there.
   */
  readonly beforeLastByte?: () => void;
}

export interface LedgerClient {
  send(call: SingleCall, request: LedgerRequest): Promise<Reply>;
}

/** Rejects with NoAnswerError, or with what `beforeLastByte` threw. */
export function createLedgerClient(endpoint: Endpoint, token: string): LedgerClient {
  return {
    send: async (call, request) => {
      let status: number | null = null;
      try {
        const response = await exchange(endpoint, token, { ...request, call });
        status = response.statusCode ?? null;
        return await readJsonReply(response);
      } catch (error) {
        throw error instanceof StoppedError ? error.cause : call.explain(error, status);
      }
    },
  };
}

/** Carries what `beforeLastByte` threw past the failures of the network. */
class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

type Exchange = LedgerRequest & { readonly call: SingleCall };

/** Resolves with the head of the answer. */
function exchange(
  { protocol, host, port }: Endpoint,
  token: string,
  { call, method, path, body, beforeLastByte }: Exchange,
): Promise<IncomingMessage> {
  const content = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': content.length,
    }),
    ...(beforeLastByte !== undefined && { expect: '100-continue' }),
  };
  const send = protocol === 'https' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send({ agent: call.agent, host, port, method, path, headers });
    request.on('error', reject);
    request.on('response', resolve);
    if (beforeLastByte === undefined) {
      request.end(content);
      return;
    }
    // Until the service asks for the body, nothing shows that it can be reached at all.
    request.once('continue', () => {
      request.write(content.subarray(0, -1), (failure) => {
        if (failure || request.destroyed) return;
        try {
          beforeLastByte();
        } catch (cause) {
          reject(new StoppedError('stopped before the last byte', { cause }));
          request.destroy();
          return;
        }
        request.end(content.subarray(-1));
      });
    });
    request.flushHeaders();
  });
}

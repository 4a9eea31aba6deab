/**
 * The service's HTTP. In: one request and the call it belongs to. Out: one answer, read to its end, or a
 * NoAnswerError. It never sends a request again, and it keeps no connection.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Reply, readJsonReply } from '../../json-reply.ts';
import type { SingleCall } from '../../single-send.ts';
import type { Endpoint, JsonObject } from '../../target.ts';

export interface MailServiceCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

export interface MailClient {
  /** Rejects with NoAnswerError alone. */
  send(call: SingleCall, request: MailServiceCall): Promise<Reply>;
}

export function createMailClient(endpoint: Endpoint, apiKey: string): MailClient {
  return {
    send: async (call, request) => {
      let status: number | null = null;
      try {
        const response = await exchange(endpoint, apiKey, { ...request, call });
        status = response.statusCode ?? null;
        return await readJsonReply(response);
      } catch (error) {
        throw call.explain(error, status);
      }
    },
  };
}

type Exchange = MailServiceCall & { readonly call: SingleCall };

/** Resolves with the head of the answer. */
function exchange(
  { protocol, host, port }: Endpoint,
  apiKey: string,
  { call, method, path, headers, body }: Exchange,
): Promise<IncomingMessage> {
  const content = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const send = protocol === 'https' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send({
      agent: call.agent,
      host,
      port,
      method,
      path,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        // The service turns away whoever does not say who he is.
        'user-agent': 'killpoint',
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': content.length,
        }),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', resolve);
    request.end(content);
  });
}

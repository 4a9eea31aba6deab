/**
 * The `fetch` under the official client. In: one request of the client's. Out: one answer that was read
 * to its end, or a NoAnswerError. It sends once, follows nothing and keeps no connection.
 *
 * Node's own fetch falls short: it is loaded at its first use, which takes longer on a busy machine
 * than a service is waited for. And the client takes a body that breaks off for an empty one, so that
 * it must be whole before the client sees any of it.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { readBody } from '../read-body.ts';
import type { SingleCall } from '../single-send.ts';

/** What the client reads of an answer. */
interface FetchedAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  text(): Promise<string>;
  arrayBuffer(): Promise<Uint8Array>;
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type SingleSendFetch = (url: string, options: FetchOptions) => Promise<FetchedAnswer>;

/** A page of a hundred long comments is below it; an answer that never ends must not fill the memory. */
const maxReplyBytes = 16 * 1024 * 1024;

export function createSingleSendFetch(call: SingleCall): SingleSendFetch {
  return async (url, options) => {
    let status: number | null = null;
    try {
      const response = await exchange(url, options, call);
      status = response.statusCode ?? null;
      const body = await readBody(response, maxReplyBytes);
      return {
        status: response.statusCode ?? 0,
        statusText: response.statusMessage ?? '',
        url,
        headers: readHeaders(response),
        text: async () => body.toString('utf8'),
        arrayBuffer: async () => body,
      };
    } catch (error) {
      throw call.explain(error, status);
    }
  };
}

/** Resolves with the head of the answer. */
function exchange(
  url: string,
  { method, headers, body }: FetchOptions,
  { agent }: SingleCall,
): Promise<IncomingMessage> {
  const content = Buffer.from(body ?? '');
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      agent,
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-length': content.length }) },
    });
    request.on('error', reject);
    request.on('response', resolve);
    request.end(content);
  });
}

function readHeaders({ headers }: IncomingMessage): ReadonlyMap<string, string> {
  return new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

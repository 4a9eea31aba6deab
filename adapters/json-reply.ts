/** An HTTP answer that should be JSON. In: what node received. Out: its status and what the body holds, whatever its shape. */
import type { IncomingMessage } from 'node:http';
import { readBody } from './read-body.ts';

export interface Reply {
  readonly status: number;
  /** The JSON of the body, whatever its shape. */
  readonly body: unknown;
}

/** An answer is a few objects; one that never ends must not fill the memory. */
const maxReplyBytes = 4 * 1024 * 1024;

/** Rejects for an answer that breaks off, is too long or is no JSON. */
export async function readJsonReply(response: IncomingMessage): Promise<Reply> {
  const body = await readBody(response, maxReplyBytes);
  return { status: response.statusCode ?? 0, body: JSON.parse(body.toString('utf8')) };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

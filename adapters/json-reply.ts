/** An HTTP answer that should be JSON. In: what node received. Out: its status and what the body holds, whatever its shape. */
import type { IncomingMessage } from 'node:http';

export interface Reply {
  readonly status: number;
  /** The JSON of the body, whatever its shape. */
  readonly body: unknown;
}

/** An answer is a few objects; one that never ends must not fill the memory. */
const maxReplyBytes = 4 * 1024 * 1024;

/** Rejects for an answer that breaks off, is too long or is no JSON. */
export async function readJsonReply(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  for await (const chunk of response) {
    const bytes = chunk as Buffer;
    receivedBytes += bytes.length;
    if (receivedBytes > maxReplyBytes) throw new Error(`more than ${maxReplyBytes} bytes came`);
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, body: JSON.parse(text) };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

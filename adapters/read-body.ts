/** An HTTP body to its end. Rejects for one that breaks off, and for one that is too long: it must not fill the memory. */
import type { IncomingMessage } from 'node:http';

export async function readBody(response: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  for await (const chunk of response) {
    const bytes = chunk as Buffer;
    receivedBytes += bytes.length;
    if (receivedBytes > mostBytes) throw new Error(`more than ${mostBytes} bytes came`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

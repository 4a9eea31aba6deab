/**
 * The HTTP server under a stand-in. In: requests on a loopback port. Out: each one's answer. It
 * executes only what has arrived whole, and from then on whether or not its sender stays: that a
 * request can take effect after its sender is dead is what a stand-in is for.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from './target.ts';

export interface ServedAnswer {
  readonly status: number;
  readonly body: string;
  /** Beyond content-length. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One request, from its head on. */
export interface Visit {
  /** `body` is null when it is longer than `maxBodyBytes`. */
  answer(body: string | null): Promise<ServedAnswer>;
  /** Called when it is answered, or when it will never be whole. */
  finish(): void;
}

export interface WholeRequestServer {
  readonly endpoint: Endpoint;
  close(): Promise<void>;
}

/** Far above any request; a body that never ends must not fill the memory. */
export const maxBodyBytes = 1024 * 1024;

export async function openWholeRequestServer(
  receive: (request: IncomingMessage) => Visit,
): Promise<WholeRequestServer> {
  const server = createServer((request, response) => {
    serve(request, response, receive(request));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { protocol: 'http', host: '127.0.0.1', port },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function serve(request: IncomingMessage, response: ServerResponse, visit: Visit): void {
  let hasEnded = false;
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes <= maxBodyBytes) chunks.push(chunk);
  });
  request.once('close', () => {
    if (!hasEnded) visit.finish();
  });
  request.once('end', async () => {
    hasEnded = true;
    try {
      const body = receivedBytes > maxBodyBytes ? null : Buffer.concat(chunks).toString('utf8');
      const answer = await visit.answer(body);
      response.writeHead(answer.status, {
        'content-length': Buffer.byteLength(answer.body),
        ...answer.headers,
      });
      response.end(answer.body);
    } finally {
      visit.finish();
    }
  });
}

/** The token of `Authorization: Bearer …`, null when there is none. */
export function readBearer({ headers }: IncomingMessage): string | null {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** A real little HTTP service with a journal, and what a test needs to put a wire before it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Endpoint } from '../../../adapters/target.ts';
import type { ObservedEvent } from '../../model/history.ts';
import {
  type Handling,
  openWire,
  type Wire,
  type WireDecisions,
  type WireOptions,
} from '../wire.ts';

export interface LittleService {
  readonly endpoint: Endpoint;
  /** The bodies of the mutating requests that took effect, in order. */
  readonly journal: readonly string[];
  /** Resolves once that many effects are in the journal. */
  effects(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startLittleService(
  reply: (request: IncomingMessage, response: ServerResponse, body: string) => void = (
    _request,
    response,
    body,
  ) => void response.end(`did ${body}`),
): Promise<LittleService> {
  const journal: string[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      if (incoming.method === 'POST') journal.push(body);
      reply(incoming, response, body);
      for (const look of waiting) look();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { protocol: 'http', host: '127.0.0.1', port },
    journal,
    effects: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (journal.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const untouched: Handling = { upstream: 'forward', reply: 'deliver' };

export function decide(
  handling: Handling,
  connection: 'accept' | 'refuse' | 'hold' = 'accept',
): WireDecisions {
  return { connection: () => connection, request: () => handling };
}

export interface WatchedWire {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  readonly events: readonly ObservedEvent[];
  /** The types of the events about requests, in order; connections are left out. */
  types(): readonly string[];
}

export async function watchWire(
  upstream: Endpoint,
  decisions: WireDecisions,
  makesNoEffect: WireOptions['makesNoEffect'] = () => false,
): Promise<WatchedWire> {
  const events: ObservedEvent[] = [];
  const observe = (event: ObservedEvent) => void events.push(event);
  const wire = openWire({ upstream, decisions, observe, makesNoEffect });
  const endpoint = await wire.listen(1);
  return {
    wire,
    endpoint,
    events,
    types: () => events.map((event) => event.type).filter((type) => type !== 'connection'),
  };
}

export type Sent =
  | { readonly kind: 'reply'; readonly status: number; readonly body: string }
  | { readonly kind: 'broken'; readonly code: string }
  | { readonly kind: 'silence' };

/** Sends one POST with a client of Node's own on a connection of its own. */
export function post(endpoint: Endpoint, body: string, timeoutMs = 5000): Promise<Sent> {
  return new Promise((resolve) => {
    const { host, port } = endpoint;
    const headers = { 'idempotency-key': 'key-1', 'content-length': Buffer.byteLength(body) };
    const sent = request({ host, port, method: 'POST', path: '/effects', headers, agent: false });
    sent.setTimeout(timeoutMs, () => {
      resolve({ kind: 'silence' });
      sent.destroy();
    });
    sent.on('error', (error: Error & { code?: string }) =>
      resolve({ kind: 'broken', code: error.code ?? error.message }),
    );
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', (error: Error & { code?: string }) =>
        resolve({ kind: 'broken', code: error.code ?? error.message }),
      );
      response.on('end', () =>
        resolve({ kind: 'reply', status: response.statusCode ?? 0, body: text }),
      );
    });
    sent.end(body);
  });
}

/** A bare connection that keeps all it reads. */
export class RawClient {
  readonly socket: Socket;
  received = Buffer.alloc(0);
  readonly #looks = new Set<() => void>();

  constructor(endpoint: Endpoint) {
    this.socket = connect(endpoint.port, endpoint.host);
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      for (const look of this.#looks) look();
    });
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  /** Resolves once what was received holds the text. */
  reads(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.text.includes(text)) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  async closed(): Promise<void> {
    if (this.socket.closed) return;
    await new Promise((resolve) => this.socket.once('close', resolve));
  }
}

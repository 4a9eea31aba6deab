/**
 * Stands between the subject and the service: every byte passes here. One listener an incarnation,
 * so that it is known whose request it is. What happens to a connection or a request is decided by
 * whoever opened the wire; the wire carries it out and tells, event by event, what happened.
 * It never repeats, invents or changes a request, but for the name of a host that is behind TLS.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Endpoint } from '../../adapters/target.ts';
import type { ObservedEvent } from '../model/history.ts';
import { drop, type Exchange, end, type Handling } from './exchange.ts';
import { type ConnectionInfo, HeldConnection } from './held-connection.ts';
import { InProgress } from './in-progress.ts';
import {
  type BegunRequest,
  SubjectConnection,
  type SubjectConnectionContext,
  type WireRequest,
} from './subject-connection.ts';

export type { BegunRequest, ConnectionInfo, Handling, WireRequest };

export interface WireDecisions {
  /**
   * `refuse`: the connection is reset before a byte of it is read. `hold`: it stands, and not one
   * byte of it is read.
   */
  connection(info: ConnectionInfo): 'accept' | 'refuse' | 'hold';
  /**
   * Called synchronously at the first byte of a request; absent where every request is read. `stop`:
   * nothing more of its connection is read by anybody, though what came before it is answered.
   */
  began?(info: BegunRequest): 'read' | 'stop';
  /** Called synchronously when the whole request is there. */
  request(request: WireRequest): Handling;
}

export interface WireOptions {
  readonly upstream: Endpoint;
  readonly decisions: WireDecisions;
  readonly observe: (event: ObservedEvent) => void;
  /** Given the service's whole reply to every request, as bytes. */
  readonly tap?: (reply: Buffer) => void;
  /** True for a request that can't have the effect although its method is not a safe one. */
  readonly makesNoEffect?: (request: { readonly method: string; readonly path: string }) => boolean;
}

export interface Wire {
  /** A listener for one incarnation, on the loopback and without TLS. */
  listen(incarnation: number): Promise<Endpoint>;
  /**
   * Gives every held request to the service and records the reply: on its session's connection where
   * the protocol has sessions, on one of its own otherwise.
   */
  release(): void;
  /** Resets every connection that has no request on it. */
  resetIdle(): void;
  /** How many requests are held. */
  held(): number;
  /**
   * Requests that have begun and neither been answered nor given up, held ones among them, and
   * connections whose bytes are only passed on. A kept-alive connection with no request on it is not
   * open, not even inside a transaction block.
   */
  open(): number;
  /** True once `open()` is 0, false at the deadline. */
  whenQuiet(deadlineMs: number): Promise<boolean>;
  /**
   * True once the incarnation's connections are closed and the service has answered all it was given
   * of it; held requests don't count. False at the deadline. A held connection is read from now on, to
   * no other end than to see that its sender is gone.
   */
  whenSenderGone(incarnation: number, deadlineMs: number): Promise<boolean>;
  /** Ends every connection. What is still held is dropped. Nothing is observed after it has resolved. */
  close(): Promise<void>;
}

export function openWire(options: WireOptions): Wire {
  return new OpenWire(options);
}

interface Ending {
  destroy(): void;
}

/** What the subject speaks, where the service is spoken to over TLS. */
function withoutTls(protocol: Endpoint['protocol']): Endpoint['protocol'] {
  if (protocol === 'https') return 'http';
  return protocol === 'smtps' ? 'smtp' : protocol;
}

class OpenWire implements Wire {
  readonly #options: WireOptions;
  readonly #progress = new InProgress();
  readonly #servers: Server[] = [];
  readonly #kept = new Set<Ending>();
  readonly #subjectConnections = new Set<SubjectConnection>();
  readonly #heldConnections = new Set<HeldConnection>();
  #held: Exchange[] = [];
  #connections = 0;
  #requests = 0;
  #allEnded: (() => void) | null = null;
  readonly #context: SubjectConnectionContext;

  constructor(options: WireOptions) {
    this.#options = options;
    this.#context = {
      upstream: options.upstream,
      observe: options.observe,
      progress: this.#progress,
      ...(options.tap === undefined ? {} : { tap: options.tap }),
      mutates: (request) => request.mutating && options.makesNoEffect?.(request) !== true,
      nextRequest: () => {
        this.#requests += 1;
        return this.#requests;
      },
      began: (info) => options.decisions.began?.(info) ?? 'read',
      decide: (request) => options.decisions.request(request),
      hold: (exchange) => this.#held.push(exchange),
      keep: (ending) => this.#kept.add(ending),
      release: (ending) => this.#letGo(ending),
    };
  }

  async listen(incarnation: number): Promise<Endpoint> {
    // Paused, so that a refused connection is reset before anything of it is read.
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true });
    server.on('connection', (socket) => this.#accept(socket, incarnation));
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') {
      throw new Error('a listening server has no port');
    }
    const { protocol } = this.#options.upstream;
    return {
      protocol: withoutTls(protocol),
      host: '127.0.0.1',
      port: address.port,
    };
  }

  release(): void {
    for (const exchange of this.#held.splice(0)) exchange.sender.forwardHeld(exchange);
  }

  resetIdle(): void {
    for (const connection of [...this.#subjectConnections]) {
      if (connection.idle) connection.reset();
    }
  }

  held(): number {
    return this.#held.length;
  }

  open(): number {
    return this.#progress.open();
  }

  whenQuiet(deadlineMs: number): Promise<boolean> {
    return this.#progress.when(() => this.#progress.open() === 0, deadlineMs);
  }

  whenSenderGone(incarnation: number, deadlineMs: number): Promise<boolean> {
    for (const held of this.#heldConnections) {
      if (held.incarnation === incarnation) held.lookForEnd();
    }
    return this.#progress.when(() => this.#progress.senderGone(incarnation), deadlineMs);
  }

  async close(): Promise<void> {
    for (const exchange of this.#held.splice(0)) {
      drop(exchange, this.#context);
      end(exchange, this.#context);
    }
    const closed = this.#servers
      .splice(0)
      .map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    const ended = new Promise<void>((resolve) => {
      if (this.#kept.size === 0) resolve();
      else this.#allEnded = resolve;
    });
    for (const ending of [...this.#kept]) ending.destroy();
    await Promise.all([...closed, ended]);
  }

  #accept(socket: Socket, incarnation: number): void {
    this.#connections += 1;
    const connection = this.#connections;
    const numbers = { incarnation, connection };
    const decision = this.#options.decisions.connection(numbers);
    switch (decision) {
      case 'refuse':
        this.#options.observe({ type: 'connection', ...numbers, what: 'refused' });
        socket.resetAndDestroy();
        break;
      case 'hold': {
        const held = new HeldConnection(socket, numbers, this.#context);
        this.#heldConnections.add(held);
        socket.once('close', () => this.#heldConnections.delete(held));
        break;
      }
      case 'accept': {
        const opened = new SubjectConnection(socket, numbers, this.#context);
        this.#subjectConnections.add(opened);
        socket.once('close', () => this.#subjectConnections.delete(opened));
        break;
      }
      default:
        decision satisfies never;
    }
  }

  #letGo(ending: Ending): void {
    this.#kept.delete(ending);
    if (this.#kept.size === 0) this.#allEnded?.();
  }
}

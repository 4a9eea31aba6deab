/**
 * One connection of the subject to the wire: finds its requests, has each decided as soon as it is
 * whole, and handles them one after the other as HTTP/1.1 orders them. Bytes that are no HTTP are
 * passed on untouched, both ways, by joining the two connections.
 *
 * The sending side's end is taken for the sender's end: a killed process looks the same as one that
 * only closed its writing half, and a reply written to the dead must not count as delivered.
 */
import type { Socket } from 'node:net';
import type { Endpoint } from '../../adapters/target.ts';
import {
  answerWhileHeld,
  discard,
  drop,
  type Exchange,
  type ExchangeContext,
  end,
  forward,
  forwardHalf,
  type Handling,
  type Sender,
} from './exchange.ts';
import { type FramedRequest, RequestFramer } from './http-framing.ts';
import { joinSockets } from './tunnel.ts';
import { connectUpstream, UpstreamConnection } from './upstream.ts';

export interface WireRequest {
  /** From 1 over the whole trial. */
  readonly request: number;
  readonly incarnation: number;
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  /** It can have the effect; a lookup or a fence can't. */
  readonly mutating: boolean;
  /** The Idempotency-Key header. */
  readonly key: string | null;
  readonly bodySha256: string;
}

/** A request of which only the first byte is known. */
export interface BegunRequest {
  readonly request: number;
  readonly incarnation: number;
  readonly connection: number;
}

export interface SubjectConnectionContext extends ExchangeContext {
  readonly upstream: Endpoint;
  readonly nextRequest: () => number;
  readonly mutates: (request: FramedRequest) => boolean;
  readonly began: (info: BegunRequest) => 'read' | 'stop';
  readonly decide: (request: WireRequest) => Handling;
  readonly hold: (exchange: Exchange) => void;
  /** Sockets that must not outlive the wire. */
  readonly keep: (socket: { destroy(): void }) => void;
  readonly release: (socket: { destroy(): void }) => void;
}

export class SubjectConnection implements Sender {
  readonly incarnation: number;
  readonly #connection: number;
  readonly #socket: Socket;
  readonly #context: SubjectConnectionContext;
  readonly #framer = new RequestFramer();
  readonly #queue: Exchange[] = [];
  #number = 0;
  #continued = false;
  #current: Exchange | null = null;
  #through: UpstreamConnection | null = null;
  /** The service is at work on the request at hand. */
  #busy = false;
  /** The service closed its connection: after a reply that lasts until then, or because it was idle too long. */
  #serviceClosed = false;
  /** Bytes that are no HTTP and wait until the requests before them are answered. */
  #opaque: Buffer[] | null = null;
  #tunnelled = false;
  /** A request that began and is read no further; what still comes is thrown away, so that the end is seen. */
  #stopped = false;
  #drained: (() => void) | null = null;
  gone = false;

  constructor(
    socket: Socket,
    numbers: { readonly incarnation: number; readonly connection: number },
    context: SubjectConnectionContext,
  ) {
    this.#socket = socket;
    this.incarnation = numbers.incarnation;
    this.#connection = numbers.connection;
    this.#context = context;
    context.keep(socket);
    context.progress.began(this.incarnation, 'connections');
    this.#observeConnection('opened');
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('drain', () => this.#drainedOrGone());
    socket.on('error', () => {
      // Always followed by "close".
    });
    socket.once('close', () => this.#close());
    // Where the service may speak first, nothing can be waited for.
    if (context.upstream.protocol === 'tcp') this.#tunnel([]);
    socket.resume();
  }

  /** No request is on it, not even a part of one. */
  get idle(): boolean {
    return (
      this.#current === null &&
      this.#queue.length === 0 &&
      this.#opaque === null &&
      !this.#tunnelled &&
      !this.#stopped &&
      !this.#framer.midway
    );
  }

  write(bytes: Buffer, written?: (taken: boolean) => void): boolean {
    if (this.gone) {
      written?.(false);
      return true;
    }
    if (written === undefined) return this.#socket.write(bytes);
    return this.#socket.write(bytes, (error) => written(error === undefined || error === null));
  }

  drained(then: () => void): void {
    if (this.gone) then();
    else this.#drained = then;
  }

  reset(): void {
    this.gone = true;
    if (!this.#socket.destroyed) this.#socket.resetAndDestroy();
  }

  finish(): void {
    this.#socket.end();
  }

  answered(): void {
    this.#current = null;
    this.#next();
  }

  tunnel(through: UpstreamConnection, toSender: Buffer): void {
    if (this.gone) {
      through.destroy();
      return;
    }
    this.#socket.write(toSender);
    this.#join(through.detach(), []);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#stopped) return;
    if (this.#opaque !== null) {
      this.#opaque.push(chunk);
      return;
    }
    for (const step of this.#framer.push(chunk)) {
      // The rest of the chunk belongs to the request that is read no further, or comes after it.
      if (this.#stopped) break;
      switch (step.kind) {
        case 'began':
          this.#begin();
          break;
        case 'awaits-continue':
          this.#continued = true;
          this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n');
          break;
        case 'whole':
          this.#queue.push(this.#decide(step.request));
          break;
        case 'not-http':
          this.#opaque = [...step.bytes];
          break;
        case 'over-limit':
          this.#context.observe({
            type: 'harness-error',
            code: 'subject-flooded',
            message: `connection ${this.#connection}: ${step.detail}; it was reset`,
          });
          this.reset();
          break;
        default:
          step satisfies never;
      }
    }
    this.#next();
  };

  readonly #onEnd = (): void => {
    this.gone = true;
    this.#socket.destroy();
  };

  #begin(): void {
    const { began, nextRequest, observe, progress } = this.#context;
    this.#number = nextRequest();
    progress.began(this.incarnation, 'requests');
    const begun: BegunRequest = {
      incarnation: this.incarnation,
      connection: this.#connection,
      request: this.#number,
    };
    this.#stopped = began(begun) === 'stop';
    observe({ type: 'request-began', ...begun });
  }

  #decide(framed: FramedRequest): Exchange {
    const { method, path, key, bodySha256 } = framed;
    const mutating = this.#context.mutates(framed);
    const { incarnation } = this;
    const request = this.#number;
    const seen = { request, incarnation, method, path, mutating, key, bodySha256 };
    this.#context.observe({ type: 'request-whole', ...seen });
    const handling = this.#context.decide({ ...seen, connection: this.#connection });
    const continued = this.#continued;
    this.#continued = false;
    return { request, framed, handling, continued, sender: this };
  }

  #next(): void {
    while (this.#current === null && !this.gone) {
      const exchange = this.#queue.shift();
      if (exchange === undefined) break;
      this.#current = exchange;
      this.#handle(exchange);
    }
    if (this.#current !== null || this.gone || this.#tunnelled || this.#stopped) return;
    if (this.#opaque !== null) this.#tunnel(this.#opaque);
    else if (this.#serviceClosed) this.#socket.end();
  }

  #handle(exchange: Exchange): void {
    switch (exchange.handling.upstream) {
      case 'discard':
        discard(exchange, this.#context);
        break;
      case 'hold':
        this.#context.observe({
          type: 'held',
          incarnation: this.incarnation,
          request: exchange.request,
        });
        this.#context.hold(exchange);
        answerWhileHeld(exchange, this.#context);
        break;
      case 'forward':
        this.#busy = true;
        forward(exchange, this.#connect(), this.#context, () => this.#served());
        break;
      case 'half':
        forwardHalf(exchange, this.#connect(), this.#context);
        break;
      default:
        exchange.handling satisfies never;
    }
  }

  /** The service's connection that belongs to this one, as long as both last. */
  #connect(): UpstreamConnection {
    if (this.#through !== null) return this.#through;
    this.#serviceClosed = false;
    const through: UpstreamConnection = new UpstreamConnection(this.#context.upstream, () => {
      this.#context.release(through);
      this.#through = null;
      this.#serviceClosed = true;
      this.#next();
    });
    this.#through = through;
    this.#context.keep(through);
    return through;
  }

  #served(): void {
    this.#busy = false;
    if (this.gone && !this.#tunnelled) this.#through?.destroy();
  }

  #tunnel(first: readonly Buffer[]): void {
    const socket = connectUpstream(this.#context.upstream, () => undefined);
    this.#join(socket, first);
  }

  #join(service: Socket, first: readonly Buffer[]): void {
    const { keep, observe, progress, release } = this.#context;
    const { incarnation } = this;
    if (this.#framer.midway) progress.ended(incarnation, 'requests');
    for (const exchange of this.#queue.splice(0)) end(exchange, this.#context);
    this.#tunnelled = true;
    this.#opaque = null;
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    progress.began(incarnation, 'tunnels');
    progress.began(incarnation, 'exchanges');
    keep(service);
    joinSockets({
      subject: this.#socket,
      service,
      first,
      onBytes: () => observe({ type: 'opaque-bytes', incarnation, connection: this.#connection }),
      onServiceBroken: () => this.reset(),
      onOver: () => {
        release(service);
        progress.ended(incarnation, 'tunnels');
        progress.ended(incarnation, 'exchanges');
      },
    });
  }

  #close(): void {
    this.gone = true;
    this.#observeConnection('closed');
    if (!this.#tunnelled) {
      this.#dropUnhandled();
      // A request the service has been given is read to its end, though nobody waits for it.
      if (!this.#busy) this.#through?.destroy();
    }
    this.#drainedOrGone();
    this.#context.release(this.#socket);
    this.#context.progress.ended(this.incarnation, 'connections');
  }

  /** What was queued behind a request without an answer, and what is only partly here, goes nowhere. */
  #dropUnhandled(): void {
    const { observe, progress } = this.#context;
    for (const exchange of this.#queue.splice(0)) {
      drop(exchange, this.#context);
      end(exchange, this.#context);
    }
    if (!this.#framer.midway && !this.#stopped) return;
    observe({ type: 'dropped', incarnation: this.incarnation, request: this.#number });
    progress.ended(this.incarnation, 'requests');
  }

  #drainedOrGone(): void {
    const then = this.#drained;
    this.#drained = null;
    then?.();
  }

  #observeConnection(what: 'opened' | 'closed'): void {
    this.#context.observe({
      type: 'connection',
      incarnation: this.incarnation,
      connection: this.#connection,
      what,
    });
  }
}

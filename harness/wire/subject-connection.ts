/**
 * One connection of the subject to the wire: finds its requests, has each decided as soon as it is
 * whole, and handles them one after the other, in the order in which they are answered. Bytes that
 * can't be framed are passed on untouched, both ways, by joining the two connections.
 *
 * The sending side's end is taken for the sender's end: a killed process looks the same as one that
 * only closed its writing half, and a reply written to the dead must not count as delivered.
 */
import type { Socket } from 'node:net';
import type { Conversation, FramedRequest } from './conversation.ts';
import {
  answerWhileHeld,
  discard,
  drop,
  type Exchange,
  end,
  type Handling,
  type Sender,
} from './exchange.ts';
import { openConversation } from './open-conversation.ts';
import { ServiceSide, type ServiceSideContext } from './service-side.ts';
import { joinSockets } from './tunnel.ts';
import type { UpstreamConnection } from './upstream.ts';

export interface WireRequest {
  /** From 1 over the whole trial. */
  readonly request: number;
  readonly incarnation: number;
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  /** It can have the effect; a lookup or a fence can't. */
  readonly mutating: boolean;
  /** The Idempotency-Key header; null in a protocol without one. */
  readonly key: string | null;
  readonly bodySha256: string;
}

/** A request of which only the first byte is known. */
export interface BegunRequest {
  readonly request: number;
  readonly incarnation: number;
  readonly connection: number;
}

export interface SubjectConnectionContext extends ServiceSideContext {
  readonly nextRequest: () => number;
  readonly mutates: (request: FramedRequest) => boolean;
  readonly began: (info: BegunRequest) => 'read' | 'stop';
  readonly decide: (request: WireRequest) => Handling;
  readonly hold: (exchange: Exchange) => void;
}

export class SubjectConnection implements Sender {
  readonly incarnation: number;
  readonly #connection: number;
  readonly #socket: Socket;
  readonly #context: SubjectConnectionContext;
  readonly conversation: Conversation;
  readonly #service: ServiceSide;
  /** What waits until the requests before it are answered: requests, and bytes that are of none. */
  readonly #queue: (Exchange | Buffer)[] = [];
  #number = 0;
  #continued = false;
  #current: Exchange | null = null;
  /** The service closed its connection: after a reply that lasts until then, or because it was idle too long. */
  #serviceClosed = false;
  /** Bytes that can't be framed and wait until the requests before them are answered. */
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
    this.conversation = openConversation(context.upstream);
    this.#service = new ServiceSide({
      conversation: this.conversation,
      context,
      aside: (bytes) => this.write(bytes),
      closed: (broken) => this.#serviceEnded(broken),
    });
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
    else if (this.conversation.serviceSpeaksFirst) this.#service.greet();
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
      !this.conversation.requests.midway
    );
  }

  write(bytes: Buffer, written?: (taken: boolean) => void): boolean {
    if (this.gone || this.#socket.writableEnded) {
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
    // The service would be told of a session's end as well.
    if (this.conversation.isSession) this.#service.senderGone();
  }

  answered(): void {
    this.#current = null;
    this.#next();
  }

  forwardHeld(exchange: Exchange): void {
    this.#service.forwardHeld(exchange);
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
    for (const step of this.conversation.requests.push(chunk)) {
      // The rest of the chunk belongs to the request that is read no further, or comes after it.
      if (this.#stopped) break;
      switch (step.kind) {
        case 'began':
          this.#begin();
          break;
        case 'awaits':
          this.#continued = true;
          this.#socket.write(step.goAhead);
          break;
        case 'whole':
          this.#queue.push(this.#decide(step.request));
          break;
        case 'pass':
          if (step.when === 'in-turn' || !this.#service.pass(step.bytes, 'now')) {
            this.#queue.push(step.bytes);
          }
          break;
        case 'opaque':
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
      const turn = this.#queue.shift();
      if (turn === undefined) break;
      if (Buffer.isBuffer(turn)) {
        this.#service.pass(turn, 'in-turn');
        continue;
      }
      this.#current = turn;
      this.#handle(turn);
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
        this.#service.hold();
        answerWhileHeld(exchange, this.#context);
        break;
      case 'forward':
        this.#serviceClosed = false;
        this.#service.forward(exchange);
        break;
      case 'half':
        this.#service.forwardHalf(exchange);
        break;
      default:
        exchange.handling satisfies never;
    }
  }

  #serviceEnded(broken: boolean): void {
    this.#serviceClosed = true;
    // Of a session whose service has broken, nothing is left to wait for.
    if (broken && this.conversation.isSession && this.#current === null) this.reset();
    else this.#next();
  }

  #tunnel(first: readonly Buffer[]): void {
    this.#join(this.#service.detach(), first);
  }

  #join(service: Socket, first: readonly Buffer[]): void {
    const { keep, observe, progress, release } = this.#context;
    const { incarnation } = this;
    if (this.conversation.requests.midway) progress.ended(incarnation, 'requests');
    for (const exchange of this.#unhandled()) end(exchange, this.#context);
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
      this.#service.senderGone();
    }
    this.#drainedOrGone();
    this.#context.release(this.#socket);
    this.#context.progress.ended(this.incarnation, 'connections');
  }

  /** What was queued behind a request without an answer, and what is only partly here, goes nowhere. */
  #dropUnhandled(): void {
    const { observe, progress } = this.#context;
    for (const exchange of this.#unhandled()) {
      drop(exchange, this.#context);
      end(exchange, this.#context);
    }
    if (!this.conversation.requests.midway && !this.#stopped) return;
    observe({ type: 'dropped', incarnation: this.incarnation, request: this.#number });
    progress.ended(this.incarnation, 'requests');
  }

  #unhandled(): readonly Exchange[] {
    return this.#queue.splice(0).flatMap((turn) => (Buffer.isBuffer(turn) ? [] : [turn]));
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

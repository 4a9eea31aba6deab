/**
 * The service's side of one connection of the subject's. Where a connection is a session, it is one
 * connection to the service, which lasts as long as its sender lives, its request is being worked on
 * or its request is held; where it is none, whichever is open will do, and a held request gets one of
 * its own. A request the service has been given is read to its end, though nobody waits for it: a
 * statement commits although its client has died.
 */
import type { Socket } from 'node:net';
import type { Endpoint } from '../../adapters/target.ts';
import type { Conversation } from './conversation.ts';
import { type Exchange, type ExchangeContext, forward, forwardHalf } from './exchange.ts';
import { connectUpstream, UpstreamConnection } from './upstream.ts';

export interface ServiceSideContext extends ExchangeContext {
  readonly upstream: Endpoint;
  /** Connections that must not outlive the wire. */
  readonly keep: (ending: { destroy(): void }) => void;
  readonly release: (ending: { destroy(): void }) => void;
}

export interface ServiceSideOptions {
  readonly conversation: Conversation;
  readonly context: ServiceSideContext;
  /** Given what the service says in a session besides its replies. */
  readonly aside: (bytes: Buffer) => void;
  /** The service's connection is over; `broken` where it was not ended in order. */
  readonly closed: (broken: boolean) => void;
}

export class ServiceSide {
  readonly #options: ServiceSideOptions;
  #through: UpstreamConnection | null = null;
  /** The service is at work on a request. */
  #busy = false;
  #held = false;
  #senderGone = false;

  constructor(options: ServiceSideOptions) {
    this.#options = options;
  }

  /** Connects to a service that is to speak first. */
  greet(): void {
    this.#connect();
  }

  forward(exchange: Exchange): void {
    this.#busy = true;
    forward(exchange, this.#connect(), this.#options.context, () => this.#served());
  }

  forwardHalf(exchange: Exchange): void {
    forwardHalf(exchange, this.#connect(), this.#options.context);
  }

  /** A request is kept; in a session, so is what the service knows of it. */
  hold(): void {
    this.#held = this.#options.conversation.isSession;
  }

  forwardHeld(exchange: Exchange): void {
    const { conversation, context } = this.#options;
    if (conversation.isSession) {
      this.#held = false;
      this.forward(exchange);
      return;
    }
    const through = this.#open(() => undefined);
    forward(exchange, through, context, () => through.destroy());
  }

  /** Hands on bytes of no request's; returns false where they have to wait for their turn. */
  pass(bytes: Buffer, when: 'in-turn' | 'now'): boolean {
    if (when === 'now' && !this.#busy) return false;
    this.#connect().pass(bytes);
    return true;
  }

  /** A connection on which nothing is framed any more: in a session its own, else a fresh one. */
  detach(): Socket {
    const { conversation, context } = this.#options;
    return conversation.isSession
      ? this.#connect().detach()
      : connectUpstream(context.upstream, () => undefined);
  }

  /** Nobody waits for an answer any more, and nothing more will be sent. */
  senderGone(): void {
    this.#senderGone = true;
    if (!this.#busy && !this.#held) this.#through?.destroy();
  }

  #served(): void {
    this.#busy = false;
    if (this.#senderGone) this.#through?.destroy();
  }

  /** A session has no second connection: what is given to one that is closed is broken. */
  #connect(): UpstreamConnection {
    if (this.#through !== null) return this.#through;
    const { closed, conversation } = this.#options;
    const through = this.#open((error) => {
      if (!conversation.isSession) this.#through = null;
      closed(error !== null);
    });
    this.#through = through;
    return through;
  }

  /** To its sender it is a broken service. To people it is a wrong setting, and nothing about a gate. */
  #tellDistrust({ distrust }: UpstreamConnection): void {
    if (distrust === null) return;
    const { observe, upstream } = this.#options.context;
    observe({
      type: 'harness-error',
      code: 'rail-untrusted',
      message: `expected a certificate for ${upstream.host} that ${upstream.caPem === undefined ? 'a public authority' : 'the given authority'} has signed, ${upstream.host}:${upstream.port} showed another (${distrust}); check the endpoint's host and caPem`,
    });
  }

  #open(closed: (error: Error | null) => void): UpstreamConnection {
    const { aside, context, conversation } = this.#options;
    const through: UpstreamConnection = new UpstreamConnection({
      service: context.upstream,
      replies: conversation.openReplies(),
      aside: conversation.isSession ? aside : () => undefined,
      closed: (error) => {
        this.#tellDistrust(through);
        context.release(through);
        closed(error);
      },
    });
    context.keep(through);
    return through;
  }
}

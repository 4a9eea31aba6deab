/**
 * One whole request and what becomes of it: given to the service, thrown away or held, and answered,
 * reset or left without an answer. Each step is told to the observer as it happens. A request ends
 * exactly once, as delivered or as dropped.
 */
import { STATUS_CODES } from 'node:http';
import type { ObservedEvent } from '../model/history.ts';
import type { FramedRequest } from './http-framing.ts';
import type { InProgress } from './in-progress.ts';
import type { ReplyReader, UpstreamConnection } from './upstream.ts';

/** What happens to one whole request: two independent choices. */
export interface Handling {
  /** `hold`: kept until it is released, and then given to the service even though its sender may be gone. */
  readonly upstream: 'forward' | 'discard' | 'hold';
  /**
   * `reset`: the connection is reset instead of the reply. `withhold`: nothing is sent and the
   * connection stays open. A status: the wire answers by itself. `reset` and a status wait for the
   * service's whole reply where the request is forwarded, and happen at once otherwise.
   */
  readonly reply:
    | 'deliver'
    | 'reset'
    | 'withhold'
    | { readonly status: number; readonly body: string };
}

/** The connection a request came on. */
export interface Sender {
  readonly incarnation: number;
  readonly gone: boolean;
  /** `written` is told whether the kernel took the bytes. Returns false where the caller should wait for `drained`. */
  write(bytes: Buffer, written?: (taken: boolean) => void): boolean;
  drained(then: () => void): void;
  reset(): void;
  /** Ends the connection after what has been written to it. */
  finish(): void;
  /** The next request on this connection may be handled. */
  answered(): void;
  tunnel(through: UpstreamConnection, toSender: Buffer): void;
}

export interface Exchange {
  readonly request: number;
  readonly framed: FramedRequest;
  readonly handling: Handling;
  /** The wire has already answered "100 Continue" in the service's place. */
  readonly continued: boolean;
  readonly sender: Sender;
}

export interface ExchangeContext {
  readonly observe: (event: ObservedEvent) => void;
  readonly progress: InProgress;
}

/** Throws the request away; what the sender gets follows at once. */
export function discard(exchange: Exchange, context: ExchangeContext): void {
  drop(exchange, context);
  const { reply } = exchange.handling;
  if (typeof reply === 'object') answerByWire(exchange, reply, context);
  else end(exchange, context);
  if (reply === 'reset') exchange.sender.reset();
}

/** What the sender of a held request gets before it is released. */
export function answerWhileHeld(exchange: Exchange, context: ExchangeContext): void {
  const { reply } = exchange.handling;
  if (reply === 'reset') exchange.sender.reset();
  if (typeof reply !== 'object') return;
  const { request, sender } = exchange;
  sender.write(replyBytes(exchange, reply), (taken) => {
    if (taken) observeDelivered(request, sender.incarnation, reply.status, true, context);
    sender.answered();
  });
}

/**
 * Gives the request to the service and reads its reply to the end, whoever is left to receive it.
 * `served` is called when the service has answered or can't any more.
 */
export function forward(
  exchange: Exchange,
  through: UpstreamConnection,
  context: ExchangeContext,
  served: () => void,
): void {
  context.progress.began(exchange.sender.incarnation, 'exchanges');
  const reader = readReply(exchange, through, context, () => {
    served();
    // Last, so that whoever waits for the end of it finds its reply on the record.
    context.progress.ended(exchange.sender.incarnation, 'exchanges');
  });
  through.exchange(exchange.framed.method, exchange.framed.raw, reader);
}

function readReply(
  exchange: Exchange,
  through: UpstreamConnection,
  context: ExchangeContext,
  served: () => void,
): ReplyReader {
  const { request, sender } = exchange;
  const { incarnation } = sender;
  const { observe } = context;
  const delivers = exchange.handling.reply === 'deliver';
  let swallow = exchange.continued;
  let passedOn = false;
  const pass = (bytes: Buffer): boolean => {
    passedOn = true;
    return sender.write(bytes);
  };
  return {
    sending: () => observe({ type: 'forwarded', incarnation, request }),
    interim: (status, bytes) => {
      const repeats = status === 100 && swallow;
      swallow = false;
      if (delivers && !repeats) sender.write(bytes);
    },
    part: (bytes, status, whole) => {
      if (whole) {
        observe({ type: 'replied', incarnation, request, status });
        finishReplied(exchange, bytes, status, context);
        served();
        return true;
      }
      if (!delivers || sender.gone || pass(bytes)) return true;
      sender.drained(() => through.resume());
      return false;
    },
    switched: (bytes, rest) => {
      observe({ type: 'replied', incarnation, request, status: 101 });
      finishReplied(exchange, bytes, 101, context);
      if (delivers) sender.tunnel(through, rest);
      else through.destroy();
      served();
    },
    notHttp: (bytes) => {
      if (delivers) pass(bytes);
    },
    broken: () => {
      finishBroken(exchange, passedOn, context);
      served();
    },
  };
}

function finishReplied(
  exchange: Exchange,
  lastBytes: Buffer,
  status: number,
  context: ExchangeContext,
): void {
  const { handling, request, sender } = exchange;
  if (handling.reply === 'deliver' && !sender.gone) {
    sender.write(lastBytes, (taken) => {
      if (taken) observeDelivered(request, sender.incarnation, status, false, context);
      else drop(exchange, context);
      end(exchange, context);
      sender.answered();
    });
    return;
  }
  drop(exchange, context);
  finishWithoutReply(exchange, context);
}

function finishBroken(exchange: Exchange, passedOn: boolean, context: ExchangeContext): void {
  drop(exchange, context);
  // A sender whose service has gone learns it as it would without a wire in between.
  // What has been passed on of the reply would be lost by a reset.
  if (exchange.handling.reply === 'deliver' && passedOn) exchange.sender.finish();
  else if (exchange.handling.reply === 'deliver') exchange.sender.reset();
  finishWithoutReply(exchange, context);
}

function finishWithoutReply(exchange: Exchange, context: ExchangeContext): void {
  const { handling, sender } = exchange;
  // A held request's sender has had its reset or its answer already.
  if (typeof handling.reply === 'object' && handling.upstream === 'forward') {
    answerByWire(exchange, handling.reply, context);
    return;
  }
  if (handling.reply === 'reset' && handling.upstream === 'forward') sender.reset();
  end(exchange, context);
}

function answerByWire(
  exchange: Exchange,
  reply: { readonly status: number; readonly body: string },
  context: ExchangeContext,
): void {
  const { request, sender } = exchange;
  sender.write(replyBytes(exchange, reply), (taken) => {
    if (taken) observeDelivered(request, sender.incarnation, reply.status, true, context);
    end(exchange, context);
    sender.answered();
  });
}

function replyBytes(
  exchange: Exchange,
  reply: { readonly status: number; readonly body: string },
): Buffer {
  const reason = STATUS_CODES[reply.status] ?? 'Unknown';
  const head = `HTTP/1.1 ${reply.status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(reply.body)}\r\n\r\n`;
  return Buffer.from(exchange.framed.method === 'HEAD' ? head : head + reply.body);
}

function observeDelivered(
  request: number,
  incarnation: number,
  status: number,
  byWire: boolean,
  context: ExchangeContext,
): void {
  context.observe({ type: 'delivered', incarnation, request, status, byWire });
}

/** The request, or the service's reply to it, goes no further. */
export function drop(exchange: Exchange, context: ExchangeContext): void {
  const { request, sender } = exchange;
  context.observe({ type: 'dropped', incarnation: sender.incarnation, request });
}

/** Nothing more will become of the request. */
export function end(exchange: Exchange, context: ExchangeContext): void {
  context.progress.ended(exchange.sender.incarnation, 'requests');
}

/**
 * One whole request and what becomes of it: given to the service, thrown away or held, and answered,
 * reset or left without an answer. Each step is told to the observer as it happens. A request ends
 * exactly once, as delivered or as dropped.
 */
import type { ObservedEvent } from '../model/history.ts';
import type { Conversation, FramedRequest, WireAnswer } from './conversation.ts';
import type { InProgress } from './in-progress.ts';
import type { ReplyReader, UpstreamConnection } from './upstream.ts';

/**
 * What happens to one whole request: two independent choices, or `half`: the service gets the first
 * half of the request's bytes and nothing more. Its connection stays open until the sender is gone,
 * and what it answers goes nowhere.
 */
export type Handling = WholeHandling | { readonly upstream: 'half'; readonly reply: 'withhold' };

interface WholeHandling {
  /** `hold`: kept until it is released, and then given to the service even though its sender may be gone. */
  readonly upstream: 'forward' | 'discard' | 'hold';
  /**
   * `reset`: the connection is reset instead of the reply; `end`: it ends in order, without a byte of
   * the reply. `withhold`: nothing is sent and the connection stays open. A status: the wire answers by
   * itself. `reset`, `end` and a status wait for the service's whole reply where the request is
   * forwarded, and happen at once otherwise. The rest need a forwarded request and wait for its whole
   * reply: `truncate` passes on half of it and ends the connection, `raw` puts other bytes in its place,
   * `delayMs` keeps it back for so long, `part` passes on its first byte, or half of its bytes, and then
   * nothing on an open connection.
   */
  readonly reply:
    | 'deliver'
    | 'reset'
    | 'end'
    | 'withhold'
    | WireAnswer
    | 'truncate'
    | { readonly raw: Buffer }
    | { readonly delayMs: number }
    | { readonly part: 'first-byte' | 'half' };
}

/** The connection a request came on. */
export interface Sender {
  readonly incarnation: number;
  readonly gone: boolean;
  readonly conversation: Conversation;
  /** `written` is told whether the kernel took the bytes. Returns false where the caller should wait for `drained`. */
  write(bytes: Buffer, written?: (taken: boolean) => void): boolean;
  drained(then: () => void): void;
  reset(): void;
  /** Ends the connection after what has been written to it. */
  finish(): void;
  /** The next request on this connection may be handled. */
  answered(): void;
  /** Gives a held request to the service, though the sender may be gone. */
  forwardHeld(exchange: Exchange): void;
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
  readonly tap?: (reply: Buffer) => void;
}

/** Throws the request away; what the sender gets follows at once. */
export function discard(exchange: Exchange, context: ExchangeContext): void {
  drop(exchange, context);
  const { reply } = exchange.handling;
  if (isWireAnswer(reply)) answerByWire(exchange, reply, context);
  else end(exchange, context);
  breakOff(exchange);
}

/**
 * Gives the service the first half of the request and leaves it waiting for the rest, and the sender
 * waiting for an answer. Whoever calls it ends the service's connection.
 */
export function forwardHalf(
  exchange: Exchange,
  through: UpstreamConnection,
  context: ExchangeContext,
): void {
  const { request, sender, framed } = exchange;
  const { incarnation } = sender;
  const { observe, progress } = context;
  const giveUp = (): void => {
    drop(exchange, context);
    end(exchange, context);
  };
  progress.began(incarnation, 'exchanges');
  through.sendPart(firstHalf(Buffer.concat(framed.raw)), {
    taken: () => {
      observe({ type: 'forwarded-part', incarnation, request });
      giveUp();
    },
    over: (wasTaken) => {
      if (!wasTaken) giveUp();
      progress.ended(incarnation, 'exchanges');
    },
  });
}

/** What the sender of a held request gets before it is released. */
export function answerWhileHeld(exchange: Exchange, context: ExchangeContext): void {
  const { reply } = exchange.handling;
  breakOff(exchange);
  if (isWireAnswer(reply)) sayByWire(exchange, reply, context, () => undefined);
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
  through.exchange(exchange.framed, reader);
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
  // Kept only where the whole reply is needed before any of it goes on.
  const needsWhole = needsWholeReply(exchange.handling.reply);
  const kept: Buffer[] | null = needsWhole || context.tap !== undefined ? [] : null;
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
      kept?.push(bytes);
      if (whole) {
        observe({ type: 'replied', incarnation, request, status });
        const all = kept === null ? bytes : Buffer.concat(kept);
        context.tap?.(all);
        finishReplied(exchange, needsWhole ? all : bytes, status, context);
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
    opaque: (bytes) => {
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
  const { handling, sender } = exchange;
  const { reply } = handling;
  const delivers = reply === 'deliver' || needsWholeReply(reply);
  if (!delivers || sender.gone) {
    drop(exchange, context);
    finishWithoutReply(exchange, context);
  } else if (reply === 'truncate') {
    cutOff(exchange, lastBytes, context);
  } else if (typeof reply === 'object' && 'part' in reply) {
    deliverPart(
      exchange,
      reply.part === 'half' ? firstHalf(lastBytes) : lastBytes.subarray(0, 1),
      context,
    );
  } else if (typeof reply === 'object' && 'raw' in reply) {
    drop(exchange, context);
    const foreign = sender.conversation.foreignReply(reply.raw);
    answerInPlace(exchange, foreign, status, context);
  } else if (typeof reply === 'object' && 'delayMs' in reply) {
    setTimeout(() => deliverWhole(exchange, lastBytes, status, context), reply.delayMs);
  } else {
    deliverWhole(exchange, lastBytes, status, context);
  }
}

function deliverWhole(
  exchange: Exchange,
  lastBytes: Buffer,
  status: number,
  context: ExchangeContext,
): void {
  const { request, sender } = exchange;
  sender.write(lastBytes, (taken) => {
    if (taken) observeDelivered(request, sender.incarnation, status, false, context);
    else drop(exchange, context);
    end(exchange, context);
    sender.answered();
  });
}

/** The sender is left waiting for the rest: its request has no end, so nothing follows on its connection. */
function deliverPart(exchange: Exchange, part: Buffer, context: ExchangeContext): void {
  const { request, sender } = exchange;
  const { incarnation } = sender;
  sender.write(part, (taken) => {
    if (taken) {
      context.observe({ type: 'delivered-part', incarnation, request, bytes: part.length });
    }
    drop(exchange, context);
    end(exchange, context);
  });
}

/** At least one byte, and one less than all of them at most: no message on a wire is shorter than two. */
function firstHalf(whole: Buffer): Buffer {
  return whole.subarray(0, Math.floor(whole.length / 2));
}

function cutOff(exchange: Exchange, whole: Buffer, context: ExchangeContext): void {
  const { sender } = exchange;
  sender.write(sender.conversation.cutReply(whole));
  sender.finish();
  drop(exchange, context);
  end(exchange, context);
}

/** Replies that can only be dealt with once all of them is there. */
function needsWholeReply(reply: Handling['reply']): boolean {
  return reply === 'truncate' || (typeof reply === 'object' && !isWireAnswer(reply));
}

function isWireAnswer(reply: Handling['reply']): reply is WireAnswer {
  return typeof reply === 'object' && 'status' in reply;
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
  const { handling } = exchange;
  // A held request's sender has had its reset, its end or its answer already.
  const { reply } = handling;
  if (isWireAnswer(reply) && handling.upstream === 'forward') {
    answerByWire(exchange, reply, context);
    return;
  }
  if (handling.upstream === 'forward') breakOff(exchange);
  end(exchange, context);
}

/** The sender loses its connection where that is all it gets. */
function breakOff({ handling, sender }: Exchange): void {
  if (handling.reply === 'reset') sender.reset();
  if (handling.reply === 'end') sender.finish();
}

function answerByWire(exchange: Exchange, reply: WireAnswer, context: ExchangeContext): void {
  sayByWire(exchange, reply, context, () => end(exchange, context));
}

/** `said` is called before the next request on the connection is handled. */
function sayByWire(
  exchange: Exchange,
  reply: WireAnswer,
  context: ExchangeContext,
  said: () => void,
): void {
  const { framed, request, sender } = exchange;
  const { bytes, ends } = sender.conversation.answer(framed, reply);
  sender.write(bytes, (taken) => {
    if (taken) observeDelivered(request, sender.incarnation, reply.status, true, context);
    said();
    if (ends) sender.finish();
    else sender.answered();
  });
}

function answerInPlace(
  exchange: Exchange,
  bytes: Buffer,
  status: number,
  context: ExchangeContext,
): void {
  const { request, sender } = exchange;
  sender.write(bytes, (taken) => {
    if (taken) observeDelivered(request, sender.incarnation, status, true, context);
    end(exchange, context);
    sender.answered();
  });
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

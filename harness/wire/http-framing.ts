/**
 * Finds where HTTP/1.1 messages begin and end in a stream of bytes (RFC 9112). Bytes go in as they
 * arrive; steps come out. Nothing is rewritten: what a step carries are the bytes that came. What
 * can't be framed is said to be no HTTP, never guessed at, so that it can be passed on untouched.
 */
import { createHash, type Hash } from 'node:crypto';
import type { FramedRequest } from './conversation.ts';
import { Body, maxHeadBytes } from './http-body.ts';
import {
  couldBeReply,
  couldBeRequest,
  parseReplyHead,
  parseRequestHead,
  type RequestHead,
  startsToken,
} from './http-head.ts';

export const maxBodyBytes = 16 * 1024 * 1024;

export type RequestStep =
  /** The first byte of a request is here. */
  | { readonly kind: 'began' }
  /** The sender waits for "100 Continue" before it sends its body. */
  | { readonly kind: 'awaits-continue' }
  | { readonly kind: 'whole'; readonly request: FramedRequest }
  /** Everything since the last whole request, not one byte less. Nothing more can be framed. */
  | { readonly kind: 'not-http'; readonly bytes: readonly Buffer[] }
  | { readonly kind: 'over-limit'; readonly detail: string };

/** Frames what a client sends. Feed it nothing more after `not-http` or `over-limit`. */
export class RequestFramer {
  #head: Buffer = nothing;
  #open: OpenRequest | null = null;

  /** True while a request has begun and is not whole. */
  get midway(): boolean {
    return this.#open !== null || this.#head.length > 0;
  }

  push(chunk: Buffer): readonly RequestStep[] {
    const steps: RequestStep[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      const taken = this.#open === null ? this.#takeHead(rest) : this.#takeBody(this.#open, rest);
      steps.push(...taken.steps);
      if (taken.rest === null) return steps;
      rest = taken.rest;
    }
    return steps;
  }

  #takeHead(bytes: Buffer): Taken<RequestStep> {
    const steps: RequestStep[] = [];
    if (this.#head.length === 0) {
      if (!startsToken(bytes)) return ends({ kind: 'not-http', bytes: [bytes] });
      steps.push({ kind: 'began' });
    }
    this.#head = join(this.#head, bytes);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) {
      if (!couldBeRequest(this.#head)) {
        return ends(...steps, { kind: 'not-http', bytes: [this.#head] });
      }
      if (this.#head.length > maxHeadBytes) return ends(...steps, overLimit('head', maxHeadBytes));
      return { steps, rest: nothing };
    }
    if (end > maxHeadBytes) return ends(...steps, overLimit('head', maxHeadBytes));
    const raw = this.#head.subarray(0, end + 4);
    const head = parseRequestHead(raw.toString('latin1'));
    if (head === null) return ends(...steps, { kind: 'not-http', bytes: [this.#head] });
    if (head.body.kind === 'length' && head.body.bytes > maxBodyBytes) {
      return ends(...steps, overLimit('body', maxBodyBytes));
    }
    const rest = this.#head.subarray(end + 4);
    this.#head = nothing;
    const open = new OpenRequest(head, raw);
    if (open.body.whole)
      return { steps: [...steps, { kind: 'whole', request: open.close() }], rest };
    this.#open = open;
    if (head.expectsContinue && rest.length === 0) steps.push({ kind: 'awaits-continue' });
    return { steps, rest };
  }

  #takeBody(open: OpenRequest, bytes: Buffer): Taken<RequestStep> {
    const used = open.take(bytes);
    if (open.body.malformed)
      return ends({ kind: 'not-http', bytes: [...open.raw, bytes.subarray(used)] });
    if (open.rawBytes > maxBodyBytes + maxHeadBytes) return ends(overLimit('body', maxBodyBytes));
    if (!open.body.whole) return { steps: [], rest: nothing };
    this.#open = null;
    return { steps: [{ kind: 'whole', request: open.close() }], rest: bytes.subarray(used) };
  }
}

export type ReplyStep =
  /** A 1xx head; the reply proper is still to come. */
  | { readonly kind: 'interim'; readonly status: number; readonly bytes: Buffer }
  /** A part of the reply; `whole` with its last part, which may be empty. */
  | {
      readonly kind: 'part';
      readonly status: number;
      readonly bytes: Buffer;
      readonly whole: boolean;
    }
  /** The service left HTTP by its own word (101); `rest` is in the new protocol. */
  | { readonly kind: 'switched'; readonly bytes: Buffer; readonly rest: Buffer }
  /** No HTTP from here on: pass it on until the connection ends. */
  | { readonly kind: 'not-http'; readonly bytes: Buffer };

/** Frames the reply to one request. What comes after its last byte is no part of it and is left out. */
export class ReplyFramer {
  readonly #method: string;
  #head: Buffer = nothing;
  #body: Body | null = null;
  #status = 0;

  constructor(method: string) {
    this.#method = method;
  }

  push(chunk: Buffer): readonly ReplyStep[] {
    const steps: ReplyStep[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      const taken = this.#body === null ? this.#takeHead(rest) : this.#takeBody(this.#body, rest);
      steps.push(...taken.steps);
      if (taken.rest === null) return steps;
      rest = taken.rest;
    }
    return steps;
  }

  /** The service ended its side: the last part of a reply that lasts until then, or null when it was cut. */
  end(): ReplyStep | null {
    if (this.#body?.kind !== 'until-close') return null;
    return { kind: 'part', status: this.#status, bytes: nothing, whole: true };
  }

  #takeHead(bytes: Buffer): Taken<ReplyStep> {
    this.#head = join(this.#head, bytes);
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) {
      const hopeless = !couldBeReply(this.#head) || this.#head.length > maxHeadBytes;
      return hopeless
        ? ends({ kind: 'not-http', bytes: this.#head })
        : { steps: [], rest: nothing };
    }
    const head = parseReplyHead(this.#head.toString('latin1', 0, end + 4), this.#method);
    if (head === null) return ends({ kind: 'not-http', bytes: this.#head });
    const raw = this.#head.subarray(0, end + 4);
    const rest = this.#head.subarray(end + 4);
    this.#head = nothing;
    if (head.status === 101) return ends({ kind: 'switched', bytes: raw, rest });
    if (head.status < 200)
      return { steps: [{ kind: 'interim', status: head.status, bytes: raw }], rest };
    this.#status = head.status;
    this.#body = new Body(head.body);
    const part = {
      kind: 'part',
      status: head.status,
      bytes: raw,
      whole: this.#body.whole,
    } as const;
    return part.whole ? ends(part) : { steps: [part], rest };
  }

  #takeBody(body: Body, bytes: Buffer): Taken<ReplyStep> {
    const used = body.take(bytes, ignorePiece);
    if (body.malformed) return ends({ kind: 'not-http', bytes });
    const part = { kind: 'part', status: this.#status, bytes: bytes.subarray(0, used) } as const;
    return body.whole
      ? ends({ ...part, whole: true })
      : { steps: [{ ...part, whole: false }], rest: nothing };
  }
}

/** `rest` is null where nothing more is to be read. */
interface Taken<S> {
  readonly steps: readonly S[];
  readonly rest: Buffer | null;
}

const nothing = Buffer.alloc(0);

function ends<S>(...steps: readonly S[]): Taken<S> {
  return { steps, rest: null };
}

function join(left: Buffer, right: Buffer): Buffer {
  return left.length === 0 ? right : Buffer.concat([left, right]);
}

function ignorePiece(): void {
  // A reply's content is passed on, not looked at.
}

function overLimit(part: string, bytes: number): RequestStep {
  return {
    kind: 'over-limit',
    detail: `expected a request ${part} of at most ${bytes} bytes, got more`,
  };
}

/** One request whose head is there and whose body may be under way. */
class OpenRequest {
  readonly #head: RequestHead;
  readonly body: Body;
  readonly raw: Buffer[];
  rawBytes: number;
  readonly #hash: Hash = createHash('sha256');

  constructor(head: RequestHead, raw: Buffer) {
    this.#head = head;
    this.raw = [raw];
    this.rawBytes = raw.length;
    this.body = new Body(head.body);
  }

  take(bytes: Buffer): number {
    const used = this.body.take(bytes, (piece) => this.#hash.update(piece));
    this.raw.push(bytes.subarray(0, used));
    this.rawBytes += used;
    return used;
  }

  /** The key is the Idempotency-Key header; the digest is of the content, without the chunks' framing. */
  close(): FramedRequest {
    const { method, path, key } = this.#head;
    return {
      method,
      path,
      mutating: method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS',
      key,
      bodySha256: this.#hash.digest('hex'),
      raw: this.raw,
    };
  }
}

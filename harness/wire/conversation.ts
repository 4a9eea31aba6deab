/**
 * What a protocol must offer for the wire to decide about its requests one by one: where requests and
 * replies begin and end, an answer made up in the service's place, and half of a reply. One
 * conversation belongs to one connection of the subject's. It frames and words; what is passed on,
 * kept or thrown away is not its business.
 */

export interface FramedRequest {
  readonly method: string;
  readonly path: string;
  /** It can have the effect, as far as the protocol tells. */
  readonly mutating: boolean;
  /** The marker by which the service dedupes, where the protocol has a place for one. */
  readonly key: string | null;
  readonly bodySha256: string;
  /** The bytes for the service. */
  readonly raw: readonly Buffer[];
}

export type RequestStep =
  /** The first byte of a request is here. */
  | { readonly kind: 'began' }
  /** The sender waits for these bytes before it sends the rest of its request. */
  | { readonly kind: 'awaits'; readonly goAhead: Buffer }
  | { readonly kind: 'whole'; readonly request: FramedRequest }
  /**
   * Bytes of no request's, for the service as they are: once the requests before them are answered, or
   * now, where the request that the service is at work on needs them.
   */
  | { readonly kind: 'pass'; readonly bytes: Buffer; readonly when: 'in-turn' | 'now' }
  /** Everything since the last step, not one byte less. Nothing more can be framed. */
  | { readonly kind: 'opaque'; readonly bytes: readonly Buffer[] }
  | { readonly kind: 'over-limit'; readonly detail: string };

/** Frames what the subject sends. Feed it nothing more after `opaque` or `over-limit`. */
export interface RequestFraming {
  /** True while a request has begun and is not whole. */
  readonly midway: boolean;
  push(chunk: Buffer): readonly RequestStep[];
}

export type ReplyStep =
  /** Bytes before the reply proper, which is still to come. */
  | { readonly kind: 'interim'; readonly status: number; readonly bytes: Buffer }
  /** A part of the reply; `whole` with its last part, which may be empty. */
  | {
      readonly kind: 'part';
      readonly status: number;
      readonly bytes: Buffer;
      readonly whole: boolean;
    }
  /** The service left the protocol by its own word; `rest` is in the new one. */
  | { readonly kind: 'switched'; readonly bytes: Buffer; readonly rest: Buffer }
  /** Nothing can be framed from here on: pass it on until the connection ends. */
  | { readonly kind: 'opaque'; readonly bytes: Buffer }
  /** Bytes for the subject that answer no request. */
  | { readonly kind: 'aside'; readonly bytes: Buffer };

/** Frames what the service says on one connection. */
export interface ReplyFraming {
  /** What is pushed from now on answers this request. Called again only after a reply's last part. */
  expect(request: FramedRequest): void;
  push(chunk: Buffer): readonly ReplyStep[];
  /** The service ended its side: the last part of a reply that lasts until then, or null when it was cut. */
  end(): ReplyStep | null;
}

/** An answer the wire makes up. */
export interface WireAnswer {
  readonly status: number;
  readonly body: string;
}

export interface Conversation {
  readonly requests: RequestFraming;
  /**
   * The service remembers between requests who asked on which connection, so they all go over one
   * that lasts as long as the subject's, and end with it. False: any connection serves any request.
   */
  readonly isSession: boolean;
  /** The subject says nothing before the service has greeted it, so nothing can be waited for. */
  readonly serviceSpeaksFirst: boolean;
  /** For one connection to the service. */
  openReplies(): ReplyFraming;
  /** In the protocol's words. Where `ends`, the connection is over after it. */
  answer(
    request: FramedRequest,
    answer: WireAnswer,
  ): { readonly bytes: Buffer; readonly ends: boolean };
  /** As much of a whole reply as a reader gets when it breaks off in the middle. */
  cutReply(reply: Buffer): Buffer;
  /** Puts another request's reply in the place of a reply. Throws where that can't be. */
  foreignReply(raw: Buffer): Buffer;
}

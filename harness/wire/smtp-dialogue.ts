/**
 * What both sides of an SMTP session have to know of each other to be framed: whether the client's
 * next bytes are a command, a line of a login or a message, which only the server's answer decides,
 * and whose mail is under way to whom.
 */
import type { FramedRequest } from './conversation.ts';

/** How the client's next bytes are to be read. */
export type Turn =
  | { readonly kind: 'command' }
  /** After a 334: a line that is a secret. */
  | { readonly kind: 'login' }
  /** After a 354. */
  | { readonly kind: 'message'; readonly envelope: Envelope }
  /** An answer has to come first. A client that speaks before it can't be followed. */
  | { readonly kind: 'undecided' };

export interface Envelope {
  from: string;
  /** Those that have not been refused, each as often as it was named. */
  readonly recipients: string[];
}

const command: Turn = { kind: 'command' };
const emptyEnvelope = (from = ''): Envelope => ({ from, recipients: [] });

export class MailDialogue {
  turn: Turn = command;
  #envelope = emptyEnvelope();
  /** The envelope of each request that belongs to one. */
  readonly #envelopes = new WeakMap<FramedRequest, Envelope>();
  /** The envelope that a request ends, unless it is refused. */
  readonly #ended = new WeakMap<FramedRequest, Envelope>();

  get envelope(): Envelope {
    return this.#envelope;
  }

  /** A whole request, before the server has answered it. */
  asked(request: FramedRequest): void {
    const { method, path } = request;
    switch (method) {
      case 'RCPT':
        this.#envelope.recipients.push(path);
        break;
      case 'MAIL':
      case 'EHLO':
      case 'HELO':
      case 'RSET':
        this.#ended.set(request, this.#envelope);
        this.#envelope = emptyEnvelope(path);
        break;
    }
    this.#envelopes.set(request, this.#envelope);
    this.turn = decidesTheNext.includes(method) ? { kind: 'undecided' } : command;
  }

  answered(request: FramedRequest, code: number): void {
    const envelope = this.#envelopes.get(request) ?? this.#envelope;
    switch (request.method) {
      case 'RCPT':
        if (code >= 300) removeOne(envelope.recipients, request.path);
        break;
      case 'MAIL':
      case 'EHLO':
      case 'HELO':
      case 'RSET':
        if (code >= 300) this.#goOn(envelope, this.#ended.get(request));
        break;
      case 'MESSAGE':
        envelope.recipients.length = 0;
        break;
      case 'BDAT':
        if (request.mutating) envelope.recipients.length = 0;
        break;
      case 'DATA':
        this.turn = code >= 300 && code < 400 ? { kind: 'message', envelope } : command;
        break;
      case 'AUTH':
        this.turn = code === 334 ? { kind: 'login' } : command;
        break;
      case 'STARTTLS':
        this.turn = command;
        break;
    }
  }

  /** A server that refuses to begin anew (503, nested MAIL) goes on with what it has. */
  #goOn(envelope: Envelope, ended: Envelope | undefined): void {
    if (ended === undefined) return;
    envelope.from = ended.from;
    envelope.recipients.push(...ended.recipients);
  }
}

function removeOne(paths: string[], path: string): void {
  const at = paths.indexOf(path);
  if (at >= 0) paths.splice(at, 1);
}

/** Each is the last of its group by the rules of pipelining (RFC 2920 3.1, 4954 4, 3207 4). */
const decidesTheNext: readonly string[] = ['DATA', 'AUTH', 'STARTTLS'];

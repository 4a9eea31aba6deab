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
  readonly from: string;
  /** Those that have not been refused. */
  readonly recipients: Set<string>;
}

const command: Turn = { kind: 'command' };

export class MailDialogue {
  turn: Turn = command;
  #envelope: Envelope = { from: '', recipients: new Set() };
  /** The envelope of each request that belongs to one. */
  readonly #envelopes = new WeakMap<FramedRequest, Envelope>();

  get envelope(): Envelope {
    return this.#envelope;
  }

  /** A whole request, before the server has answered it. */
  asked(request: FramedRequest): void {
    const { method, path } = request;
    switch (method) {
      case 'MAIL':
        this.#envelope = { from: path, recipients: new Set() };
        break;
      case 'RCPT':
        this.#envelope.recipients.add(path);
        break;
      case 'EHLO':
      case 'HELO':
      case 'RSET':
        this.#envelope = { from: '', recipients: new Set() };
        break;
    }
    this.#envelopes.set(request, this.#envelope);
    this.turn = decidesTheNext.includes(method) ? { kind: 'undecided' } : command;
  }

  answered(request: FramedRequest, code: number): void {
    const envelope = this.#envelopes.get(request) ?? this.#envelope;
    switch (request.method) {
      case 'RCPT':
        if (code >= 300) envelope.recipients.delete(request.path);
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
}

/** Each is the last of its group by the rules of pipelining (RFC 2920 3.1, 4954 4, 3207 4). */
const decidesTheNext: readonly string[] = ['DATA', 'AUTH', 'STARTTLS'];

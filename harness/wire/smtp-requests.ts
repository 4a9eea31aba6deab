/**
 * Finds the requests in what an SMTP client sends. A request is what the server answers with one
 * reply: a command line, a line of a login, a BDAT with its chunk, or a message with its final dot.
 * Only a message, or the last chunk of one, can take effect, and only where a recipient is left.
 *
 * A message ends at <CRLF>.<CRLF> and nowhere else: a server that also takes bare line feeds for its
 * end (the hole that "SMTP smuggling" goes through) would end it sooner than the wire does.
 */
import { createHash } from 'node:crypto';
import type { FramedRequest, RequestFraming, RequestStep } from './conversation.ts';
import { type Command, readCommand } from './smtp-commands.ts';
import type { Envelope, MailDialogue } from './smtp-dialogue.ts';

/** The most that is kept of one request. */
export const maxMessageBytes = 16 * 1024 * 1024;
/** Servers take shorter ones only; RFC 4954 asks them for 12288 bytes of a login. */
export const maxLineBytes = 64 * 1024;
const maxPathCharacters = 500;

const endOfMessage = Buffer.from('\r\n.\r\n');
/** The line before a message has ended, so that a dot alone is the end of an empty one. */
const lineBefore = Buffer.from('\r\n');

export class SmtpRequests implements RequestFraming {
  readonly #dialogue: MailDialogue;
  #raw: Buffer[] = [];
  #bytes = 0;
  /** The last bytes of a message, in which its end may have begun. */
  #tail = lineBefore;
  /** The command whose line is there, and what is still to come of its chunk. */
  #command: Command | null = null;
  #chunkLeft = 0;

  constructor(dialogue: MailDialogue) {
    this.#dialogue = dialogue;
  }

  get midway(): boolean {
    return this.#bytes > 0;
  }

  push(bytes: Buffer): readonly RequestStep[] {
    const steps: RequestStep[] = [];
    for (let rest = bytes; rest.length > 0; ) {
      const { turn } = this.#dialogue;
      if (turn.kind === 'undecided') return [...steps, this.#opaque(rest)];
      if (!this.midway) steps.push({ kind: 'began' });
      const used = turn.kind === 'message' ? this.#readMessage(rest) : this.#readLine(rest);
      this.#keep(rest.subarray(0, used.bytes));
      rest = rest.subarray(used.bytes);
      if (this.#bytes > maxMessageBytes) return [...steps, overLimit];
      if (used.isLast) steps.push(this.#close());
      else if (this.#isEndlessLine()) return [...steps, this.#opaque(rest)];
    }
    return steps;
  }

  #readMessage(bytes: Buffer): Used {
    const joined = Buffer.concat([this.#tail, bytes]);
    const at = joined.indexOf(endOfMessage);
    if (at >= 0) return { bytes: at + endOfMessage.length - this.#tail.length, isLast: true };
    this.#tail = joined.subarray(1 - endOfMessage.length);
    return { bytes: bytes.length, isLast: false };
  }

  #readLine(bytes: Buffer): Used {
    if (this.#command !== null) return this.#readChunk(bytes);
    const end = bytes.indexOf('\n') + 1;
    if (end === 0) return { bytes: bytes.length, isLast: false };
    const line = Buffer.concat([...this.#raw, bytes.subarray(0, end)]).toString('latin1');
    this.#command = this.#dialogue.turn.kind === 'login' ? loginLine : readCommand(line);
    this.#chunkLeft = this.#command.chunkBytes;
    return { bytes: end, isLast: this.#chunkLeft === 0 };
  }

  #readChunk(bytes: Buffer): Used {
    const used = Math.min(this.#chunkLeft, bytes.length);
    this.#chunkLeft -= used;
    return { bytes: used, isLast: this.#chunkLeft === 0 };
  }

  #keep(bytes: Buffer): void {
    this.#raw.push(bytes);
    this.#bytes += bytes.length;
  }

  #isEndlessLine(): boolean {
    const inLine = this.#command === null && this.#dialogue.turn.kind !== 'message';
    return inLine && this.#bytes > maxLineBytes;
  }

  #close(): RequestStep {
    const raw = this.#raw.splice(0);
    const request = { ...this.#facts(), bodySha256: this.#digest(raw), key: null, raw };
    this.#bytes = 0;
    this.#tail = lineBefore;
    this.#command = null;
    this.#dialogue.asked(request);
    return { kind: 'whole', request };
  }

  #facts(): Pick<FramedRequest, 'method' | 'path' | 'mutating'> {
    const { turn, envelope } = this.#dialogue;
    if (turn.kind === 'message') return factsOfMail('MESSAGE', turn.envelope, true);
    const { method, path, endsMessage } = this.#command ?? loginLine;
    return method === 'BDAT'
      ? factsOfMail(method, envelope, endsMessage)
      : { method, path: path.slice(0, maxPathCharacters), mutating: false };
  }

  /**
   * A login holds a secret, and a weak one can be found by its digest. So may a line with a verb nobody
   * knows: a client that goes on with a login that was refused sends one.
   */
  #digest(raw: readonly Buffer[]): string {
    const hash = createHash('sha256');
    const mayBeSecret = ['AUTH', 'UNKNOWN'].includes(this.#command?.method ?? '');
    if (!mayBeSecret) for (const bytes of raw) hash.update(bytes);
    return hash.digest('hex');
  }

  #opaque(rest: Buffer): RequestStep {
    return { kind: 'opaque', bytes: [...this.#raw.splice(0), rest] };
  }
}

interface Used {
  readonly bytes: number;
  readonly isLast: boolean;
}

/** Called what it belongs to; nothing of it is told. */
const loginLine: Command = { method: 'AUTH', path: '', chunkBytes: 0, endsMessage: false };

function factsOfMail(
  method: string,
  { from, recipients }: Envelope,
  endsMessage: boolean,
): Pick<FramedRequest, 'method' | 'path' | 'mutating'> {
  const path = `${from} > ${[...new Set(recipients)].join(', ')}`.slice(0, maxPathCharacters);
  return { method, path, mutating: endsMessage && recipients.length > 0 };
}

const overLimit: RequestStep = {
  kind: 'over-limit',
  detail: `expected a message of at most ${maxMessageBytes} bytes, got more`,
};

/**
 * Finds the replies in what a Postgres server sends: all messages up to and including ReadyForQuery,
 * once a request is at hand. What comes before the session's first ReadyForQuery, and between two
 * requests (notices, notifications, the word that the connection is being ended), answers none.
 */
import type { FramedRequest, ReplyFraming, ReplyStep } from './conversation.ts';
import type { ReadyStatus } from './postgres-transaction.ts';

/** A command tag or a status is shorter; other bodies are not looked at. */
const maxBodyReadBytes = 64;

export class PostgresReplies implements ReplyFraming {
  readonly #ready: (status: ReadyStatus) => void;
  #expected: FramedRequest | null = null;
  #started = false;
  #negotiations = 0;
  #opaque = false;
  #head: number[] = [];
  #body = '';
  #bodyLeft = 0;
  /** Since the last ReadyForQuery. */
  #failed = false;
  #rolledBack = false;

  constructor(ready: (status: ReadyStatus) => void) {
    this.#ready = ready;
  }

  /** A request for encryption is under way. */
  negotiating(): void {
    this.#negotiations += 1;
  }

  expect(request: FramedRequest): void {
    this.#expected = request;
  }

  push(chunk: Buffer): readonly ReplyStep[] {
    if (this.#opaque) return [{ kind: 'opaque', bytes: chunk }];
    const steps: ReplyStep[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; ) {
      at += this.#read(chunk, at);
      if (this.#opaque) return [...steps, { kind: 'opaque', bytes: chunk.subarray(from) }];
      if (!this.#atReady()) continue;
      steps.push(this.#step(chunk.subarray(from, at), true));
      this.#nextCycle();
      from = at;
    }
    if (from < chunk.length) steps.push(this.#step(chunk.subarray(from), false));
    return steps;
  }

  /** A reply ends with a message, never with the connection. */
  end(): null {
    return null;
  }

  /** Reads on in the message at hand, and returns how many bytes that took. */
  #read(chunk: Buffer, at: number): number {
    const byte = chunk.readUInt8(at);
    if (this.#head.length === 0 && this.#negotiations > 0) {
      this.#negotiations -= 1;
      // Anything but an error is the whole of the server's answer.
      if (byte !== typeOf.ErrorResponse) return 1;
    }
    if (this.#head.length < 5) {
      this.#head.push(byte);
      if (this.#head.length === 5) this.#openBody();
      return 1;
    }
    const used = Math.min(this.#bodyLeft, chunk.length - at);
    this.#body += chunk.toString(
      'latin1',
      at,
      at + Math.min(used, maxBodyReadBytes - this.#body.length),
    );
    this.#bodyLeft -= used;
    if (this.#bodyLeft === 0) this.#endMessage();
    return used;
  }

  #openBody(): void {
    const length = Buffer.from(this.#head).readUInt32BE(1);
    if (length < 4) this.#opaque = true;
    this.#body = '';
    this.#bodyLeft = length - 4;
    if (this.#bodyLeft === 0) this.#endMessage();
  }

  #endMessage(): void {
    const [type] = this.#head;
    if (type === typeOf.ErrorResponse) this.#failed = true;
    if (type === typeOf.CommandComplete && this.#body === 'ROLLBACK\0') this.#rolledBack = true;
    if (type !== typeOf.ReadyForQuery) this.#head = [];
  }

  #atReady(): boolean {
    return (
      this.#head.length === 5 && this.#head[0] === typeOf.ReadyForQuery && this.#bodyLeft === 0
    );
  }

  #nextCycle(): void {
    if (this.#started) this.#expected = null;
    this.#started = true;
    this.#head = [];
    this.#failed = false;
    this.#rolledBack = false;
    const status = this.#body;
    if (status === 'I' || status === 'T' || status === 'E') this.#ready(status);
  }

  #step(bytes: Buffer, whole: boolean): ReplyStep {
    if (this.#expected === null || !this.#started) return { kind: 'aside', bytes };
    return { kind: 'part', status: this.#status(this.#expected), bytes, whole };
  }

  /**
   * In the numbers people know from HTTP: 200 without an error, 400 with one, 409 where a COMMIT was
   * answered with ROLLBACK, which is how a failed block ends.
   */
  #status({ method }: FramedRequest): number {
    if (this.#failed) return 400;
    return this.#rolledBack && (method === 'COMMIT' || method === 'END') ? 409 : 200;
  }
}

const typeOf = {
  ErrorResponse: 'E'.charCodeAt(0),
  CommandComplete: 'C'.charCodeAt(0),
  ReadyForQuery: 'Z'.charCodeAt(0),
};

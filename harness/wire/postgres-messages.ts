/**
 * The outer form of Postgres's protocol 3: what a subject's bytes hold of whole messages, however they
 * were split or joined on the way, and the few fields the wire reads in them. A message is a type byte
 * and a length that counts itself; before the start-up message is there, messages have no type.
 */

/** The most that is kept of one request, which may be of one message. */
export const maxRequestBytes = 16 * 1024 * 1024;
/** The server's own bound (MAX_STARTUP_PACKET_LENGTH). */
const maxStartUpBytes = 10_000;

export type Cut =
  | { readonly kind: 'message'; readonly bytes: Buffer }
  /** The rest is still to come. */
  | { readonly kind: 'partial' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'over-limit' };

export class MessageCutter {
  /** Whether the next message begins with its type. */
  typed = false;
  #pending: Buffer[] = [];
  #bytes = 0;
  #needed = 0;

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#pending.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The type of the next message, which may have come in part only; absent where nothing has come of it. */
  nextType(): string | undefined {
    const first = this.#pending[0]?.[0];
    return first === undefined ? undefined : String.fromCharCode(first);
  }

  /** The next message, which is taken out only where it is whole. */
  next(): Cut {
    const lengthAt = this.typed ? 1 : 0;
    if (this.#bytes < Math.max(this.#needed, lengthAt + 4)) return { kind: 'partial' };
    const joined = this.#join();
    const length = joined.readUInt32BE(lengthAt);
    if (length < (this.typed ? 4 : 8)) return { kind: 'malformed' };
    if (!this.typed && length > maxStartUpBytes) return { kind: 'malformed' };
    if (length > maxRequestBytes) return { kind: 'over-limit' };
    // Not joined again before all of it is there.
    this.#needed = lengthAt + length;
    if (joined.length < this.#needed) return { kind: 'partial' };
    const bytes = joined.subarray(0, this.#needed);
    this.#pending = joined.length === bytes.length ? [] : [joined.subarray(bytes.length)];
    this.#bytes -= bytes.length;
    this.#needed = 0;
    return { kind: 'message', bytes };
  }

  /** Everything that has come and was not taken. */
  rest(): readonly Buffer[] {
    this.#bytes = 0;
    return this.#pending.splice(0);
  }

  #join(): Buffer {
    const [only, ...more] = this.#pending;
    const joined = only !== undefined && more.length === 0 ? only : Buffer.concat(this.#pending);
    this.#pending = [joined];
    return joined;
  }
}

/** Reads the strings of a message, each of which ends with a zero byte. */
export class MessageStrings {
  readonly #message: Buffer;
  #at = 5;

  constructor(typedMessage: Buffer) {
    this.#message = typedMessage;
  }

  next(): string {
    const end = this.#message.indexOf(0, this.#at);
    const text = this.#message.toString('utf8', this.#at, end < 0 ? this.#message.length : end);
    this.#at = end < 0 ? this.#message.length : end + 1;
    return text;
  }

  skipByte(): void {
    this.#at += 1;
  }
}

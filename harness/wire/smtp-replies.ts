/**
 * Finds the replies in what an SMTP server sends: lines that begin with the same three digits, the
 * last of which has no hyphen behind them. The first one greets and answers nothing, and neither does
 * one that comes while nothing is asked, such as the word that the connection is being ended.
 */
import type { FramedRequest, ReplyFraming, ReplyStep } from './conversation.ts';
import type { MailDialogue } from './smtp-dialogue.ts';

/** A code and what follows it. */
const headLength = 4;

export class SmtpReplies implements ReplyFraming {
  readonly #dialogue: MailDialogue;
  #expected: FramedRequest | null = null;
  #greeted = false;
  /** A reply is under way, and answers this; null where it answers nothing. */
  #answers: FramedRequest | null = null;
  #midway = false;
  #opaque = false;
  /** The first bytes of the line at hand. */
  #head = '';
  #code = 0;

  constructor(dialogue: MailDialogue) {
    this.#dialogue = dialogue;
  }

  expect(request: FramedRequest): void {
    this.#expected = request;
  }

  push(chunk: Buffer): readonly ReplyStep[] {
    if (this.#opaque) return [{ kind: 'opaque', bytes: chunk }];
    const steps: ReplyStep[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; ) {
      this.#begin();
      at = this.#readLine(chunk, at);
      if (this.#opaque) return [...steps, { kind: 'opaque', bytes: chunk.subarray(from) }];
      if (this.#midway) continue;
      const bytes = chunk.subarray(from, at);
      from = at;
      if (this.#leavesProtocol()) {
        return [...steps, { kind: 'switched', bytes, rest: chunk.subarray(at) }];
      }
      steps.push(this.#step(bytes, true));
    }
    if (from < chunk.length) steps.push(this.#step(chunk.subarray(from), false));
    return steps;
  }

  /** A reply ends with its line, never with the connection. */
  end(): null {
    return null;
  }

  #begin(): void {
    if (this.#midway) return;
    this.#midway = true;
    this.#answers = this.#greeted ? this.#expected : null;
  }

  /** Reads on to the end of the line at hand, or of the chunk, and returns where that is. */
  #readLine(chunk: Buffer, at: number): number {
    const lineFeed = chunk.indexOf(0x0a, at);
    const end = lineFeed < 0 ? chunk.length : lineFeed + 1;
    this.#head += chunk.toString('latin1', at, Math.min(end, at + headLength - this.#head.length));
    if (lineFeed >= 0) this.#endLine();
    return end;
  }

  #endLine(): void {
    const [, code, follows] = /^([2-5]\d\d)([ \r\n-])/.exec(this.#head) ?? [];
    this.#head = '';
    if (code === undefined) {
      this.#opaque = true;
      return;
    }
    this.#code = Number(code);
    if (follows !== '-') this.#endReply();
  }

  #endReply(): void {
    this.#midway = false;
    this.#greeted = true;
    if (this.#answers === null) return;
    this.#expected = null;
    this.#dialogue.answered(this.#answers, this.#code);
  }

  #leavesProtocol(): boolean {
    return this.#answers?.method === 'STARTTLS' && this.#code < 300;
  }

  #step(bytes: Buffer, whole: boolean): ReplyStep {
    if (this.#answers === null) return { kind: 'aside', bytes };
    return { kind: 'part', status: statusOf(this.#code), bytes, whole };
  }
}

/**
 * In the numbers people know from HTTP: 200 for what was taken (2yz) or is to go on (3yz), 429 for what
 * may be tried again (4yz), 422 for what was refused for good (5yz).
 */
function statusOf(code: number): number {
  if (code < 400) return 200;
  return code < 500 ? 429 : 422;
}

/**
 * Follows one Postgres session's transaction block: what each cycle of messages is to be called, and
 * whether it can make something last. Between two cycles the server's word counts; for a cycle sent
 * before the one ahead of it was answered, what the statements themselves say.
 */
import { collapse, maxTextCharacters, type Statement } from './sql-text.ts';

/** The status byte of a ReadyForQuery: outside a block, in one, in one that has failed. */
export type ReadyStatus = 'I' | 'T' | 'E';

export interface CycleFacts {
  readonly method: string;
  readonly path: string;
  readonly mutating: boolean;
}

export class TransactionBlock {
  #status: ReadyStatus = 'I';
  /** Of the open block, and no longer than a path can be. */
  #text = '';
  /** The open block holds a statement that changes something. */
  #changed = false;
  #unanswered = 0;

  /** The statements a cycle executes, in order, before the server has answered it. */
  take(statements: readonly Statement[]): CycleFacts {
    this.#unanswered += 1;
    let path = this.#text;
    let mutating = false;
    for (const statement of statements) {
      path = joined(path, statement.text);
      this.#text = joined(this.#text, statement.text);
      mutating = this.#step(statement) || mutating;
      if (this.#status === 'I') this.#text = '';
    }
    // What executes nothing, such as the preparing of a statement, is known by the message that ends it.
    return { method: statements[0]?.keyword ?? 'SYNC', path, mutating };
  }

  /** The server is ready for the next cycle, and says where the last one has left the block. */
  ready(status: ReadyStatus): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    if (this.#unanswered > 0) return;
    this.#status = status;
    if (status !== 'I') return;
    this.#text = '';
    this.#changed = false;
  }

  /** True where the statement makes something last. */
  #step({ kind, text }: Statement): boolean {
    switch (kind) {
      case 'begins':
        if (this.#status === 'I') this.#status = 'T';
        return false;
      case 'commits': {
        // A failed block is rolled back, whatever ends it.
        const lasts = this.#changed && this.#status !== 'E';
        this.#end(text);
        return lasts;
      }
      case 'abandons':
        this.#end(text);
        return false;
      case 'reads':
        return false;
      case 'changes':
        if (this.#status === 'I') return true;
        this.#changed = true;
        return false;
      default:
        return kind satisfies never;
    }
  }

  #end(text: string): void {
    this.#changed = false;
    this.#text = '';
    this.#status = /\bAND CHAIN\b/i.test(text) ? 'T' : 'I';
  }
}

function joined(path: string, text: string): string {
  if (path.length >= maxTextCharacters) return path;
  return collapse(path === '' ? text : `${path}; ${text}`);
}

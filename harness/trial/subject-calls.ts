/** The harness's questions to a subject that wait for an answer, each until its deadline. */
import type {
  AskMessage,
  OutcomeMessage,
  RecoverMessage,
  ResolveMessage,
  SubmitMessage,
} from '../../gate/protocol.ts';
import type { HeardMessage } from './subject-channel.ts';

export type CallMessage = SubmitMessage | RecoverMessage | AskMessage | ResolveMessage;

export type Answer =
  | { readonly kind: 'outcome'; readonly outcome: OutcomeMessage }
  | { readonly kind: 'done' }
  /** The process was gone first. */
  | { readonly kind: 'ended' }
  /** The deadline passed; an answer that comes later is only an event. */
  | { readonly kind: 'silent' };

interface Pending {
  readonly asked: CallMessage['type'];
  readonly answer: (answer: Answer) => void;
}

export class PendingCalls {
  readonly #pending = new Map<number, Pending>();

  /** Ids are the asker's to keep apart. */
  add(message: CallMessage, deadlineMs: number): Promise<Answer> {
    const { id, type } = message;
    if (this.#pending.has(id)) throw new Error(`message ${id} is already pending`);
    return new Promise((resolve) => {
      const timer = setTimeout(() => answer({ kind: 'silent' }), deadlineMs);
      const answer = (given: Answer): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        resolve(given);
      };
      this.#pending.set(id, { asked: type, answer });
    });
  }

  /** Null, or what is wrong with the answer. One that is late or comes twice is nobody's. */
  hear(message: Extract<HeardMessage, { type: 'done' | 'outcome' }>): string | null {
    const pending = this.#pending.get(message.re);
    if (pending === undefined) return null;
    if ((pending.asked === 'recover') !== (message.type === 'done')) {
      return `answered ${pending.asked} with ${message.type}`;
    }
    pending.answer(
      message.type === 'done' ? { kind: 'done' } : { kind: 'outcome', outcome: message },
    );
    return null;
  }

  endAll(): void {
    for (const { answer } of [...this.#pending.values()]) answer({ kind: 'ended' });
  }
}

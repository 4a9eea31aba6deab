/**
 * What a stand-in has in hand for one account. In: its requests, from their heads on. Out: whether
 * there is any, and an end to all of it at once. Only this account's: connections are known by the
 * requests that came on them, so that one on which none has come yet is nobody's.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

export interface WorkItem {
  /** Aborted when the service dies under it: what has not taken effect by then never will. */
  readonly life: AbortSignal;
  /** Called when it is answered, or when it will never be whole. */
  finish(): void;
}

export class WorkInHand {
  readonly #connections = new Set<Socket>();
  #life = new AbortController();
  #count = 0;

  begin({ socket }: IncomingMessage): WorkItem {
    this.#count += 1;
    if (!this.#connections.has(socket)) {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    }
    return {
      life: this.#life.signal,
      finish: () => {
        this.#count -= 1;
      },
    };
  }

  isIdle(): boolean {
    return this.#count === 0;
  }

  /** What is in hand can still be answered, and takes no effect. */
  end(): void {
    this.#life.abort();
  }

  /** Ends what is in hand and breaks its connections; what begins afterwards is served. */
  async restart(): Promise<void> {
    this.end();
    this.#life = new AbortController();
    const broken = [...this.#connections].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const socket of this.#connections) socket.destroy();
    await Promise.all(broken);
  }
}

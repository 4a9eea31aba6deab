/**
 * What a stand-in has in hand for one account. In: its requests, from their heads on. Out: whether
 * there is any, and an end to all of it at once. Only this account's: a connection is that of the last
 * request that came on it, so that one on which none has come yet is nobody's.
 */
import type { Socket } from 'node:net';

export interface WorkItem {
  /** Aborted when the service dies under it: what has not taken effect by then never will. */
  readonly life: AbortSignal;
  /** Called when it is answered, or when it will never be whole. */
  finish(): void;
}

/** A client that keeps its connections may use one for several accounts. */
const owners = new WeakMap<Socket, WorkInHand>();

export class WorkInHand {
  readonly #connections = new Map<Socket, () => void>();
  #life = new AbortController();
  #count = 0;

  begin({ socket }: { readonly socket: Socket }): WorkItem {
    this.#count += 1;
    const owner = owners.get(socket);
    if (owner !== this) {
      if (owner !== undefined) owner.#disown(socket);
      this.#own(socket);
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

  /**
   * Ends what is in hand and breaks its connections; what begins afterwards is served. What is held is let
   * go, and learns that it has died.
   */
  async restart(held: { letGo(): void }): Promise<void> {
    this.end();
    this.#life = new AbortController();
    const broken = [...this.#connections.keys()].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const socket of this.#connections.keys()) socket.destroy();
    held.letGo();
    await Promise.all(broken);
  }

  #own(socket: Socket): void {
    const forget = () => this.#connections.delete(socket);
    owners.set(socket, this);
    this.#connections.set(socket, forget);
    socket.once('close', forget);
  }

  #disown(socket: Socket): void {
    const forget = this.#connections.get(socket);
    if (forget !== undefined) socket.off('close', forget);
    this.#connections.delete(socket);
  }
}

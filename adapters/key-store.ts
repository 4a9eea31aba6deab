/**
 * The keys a stand-in has seen, each with the request it came with first and what was answered to that.
 * In: a request with its key. Out: whether the key is this request's now, or whose it is. An entry lives
 * from the first request's arrival until it is `keptForMs` old by the namespace's clock.
 */

export interface KeyEntry<Request, Answer> {
  readonly request: Request;
  readonly firstSeenMs: number;
  /** Null while the first request is being worked on. */
  stored: Answer | null;
}

export interface KeyTaking<Request, Answer> {
  /** True: it is this request's now, and must be stored under or released. */
  readonly isFresh: boolean;
  readonly entry: KeyEntry<Request, Answer>;
}

export interface KeyStoreOptions {
  readonly keptForMs: number;
  readonly now: () => number;
}

export class KeyStore<Request extends { readonly key: string }, Answer> {
  readonly #entries = new Map<string, KeyEntry<Request, Answer>>();
  readonly #options: KeyStoreOptions;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  take(request: Request): KeyTaking<Request, Answer> {
    this.#prune(request.key);
    const known = this.#entries.get(request.key);
    if (known !== undefined) return { isFresh: false, entry: known };
    const entry = { request, firstSeenMs: this.#options.now(), stored: null };
    this.#entries.set(request.key, entry);
    return { isFresh: true, entry };
  }

  /** Execution had begun: every later request under the key gets this answer, a failure included. */
  store(entry: KeyEntry<Request, Answer>, answer: Answer): void {
    entry.stored = answer;
  }

  /** Execution never began: the key is as if it had not been seen. */
  release(entry: KeyEntry<Request, Answer>): void {
    if (this.#entries.get(entry.request.key) === entry) this.#entries.delete(entry.request.key);
  }

  /** A request that is still worked on keeps its key, however old: it can't be told what it will store. */
  #prune(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.stored === null) return;
    const { now, keptForMs } = this.#options;
    if (now() - entry.firstSeenMs >= keptForMs) this.#entries.delete(key);
  }
}

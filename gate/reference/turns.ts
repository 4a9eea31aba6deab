/** One at a time for each key, first come first served, within one process. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const { promise: over, resolve: end } = promiseWithEnd();
    this.#last.set(key, over);
    await before;
    try {
      return await work();
    } finally {
      end();
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }

  /** Resolves when everything taken so far is over. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}

function promiseWithEnd(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

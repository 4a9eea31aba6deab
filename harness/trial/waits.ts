/** Waits for things that others bring about: a value given later, a stream's end, a bound on either. */
import type { Readable } from 'node:stream';

export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = unset;
  let reject: (error: Error) => void = unset;
  const promise = new Promise<T>((give, fail) => {
    resolve = give;
    reject = fail;
  });
  return { promise, resolve, reject };
}

function unset(): void {
  throw new Error('a promise settled before it was made');
}

/** Resolves when nothing more can be read. */
export function endOf(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
  });
}

/** Whether the awaited was over, well or badly, by the deadline. */
export function within(deadlineMs: number, awaited: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), deadlineMs);
    const finish = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    awaited.then(finish, finish);
  });
}

/** Each of them, one after the other, whatever becomes of the others; throws what went wrong first. */
export async function inTurn(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Stands in for `reference/chain.ts`: the recording of an attempt leaves no trace of its attempt in the chain. */
import { type ChainBody, nextEntry as next } from '../reference/chain.ts';

export * from '../reference/chain.ts';

export function nextEntry(...[tail, atMs, body]: Parameters<typeof next>) {
  const told: ChainBody =
    body.event === 'record-attempt' ? { ...body, set: {}, attempts: [] } : body;
  return next(tail, atMs, told);
}

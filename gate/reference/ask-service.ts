/** What the service says when it is asked for an effect. */
import { bounded } from '../bounded.ts';
import { type Engine, requestOf, wordsOf } from './engine.ts';
import { lookPatience } from './overdue.ts';
import type { IntentRow } from './schema.ts';

export type Seen =
  | { readonly kind: 'found'; readonly entityId: string }
  | { readonly kind: 'absent'; readonly proof: 'last-page' | 'fence' }
  | { readonly kind: 'many'; readonly entityIds: readonly string[] }
  | { readonly kind: 'could-not-tell'; readonly detail: string };

/**
 * One look. Anything but a whole and final answer could not tell. `isSilent`: no call of ours may
 * still send; a wait for what was sent is worth nothing before. A fence stops that too.
 */
export async function askService(engine: Engine, row: IntentRow, isSilent: boolean): Promise<Seen> {
  const { target } = engine;
  const call = { key: row.railKey, request: requestOf(row) };
  try {
    if (target.declaration.absence === 'fence') {
      if (target.fence === undefined)
        throw new Error(`${target.name} declares a fence and has none`);
      const fenced = await inTime(engine, target.fence(call));
      return fenced.kind === 'planted' ? { kind: 'absent', proof: 'fence' } : fenced;
    }
    if (target.query === undefined)
      throw new Error(`${target.name} declares a lookup and has none`);
    const result = await inTime(engine, target.query(call));
    if (result.kind !== 'absent') return result;
    if (result.complete !== true) return { kind: 'could-not-tell', detail: 'a page was missing' };
    if (target.declaration.absence === 'never' || !isSilent) {
      const detail = isSilent
        ? 'nothing there yet, and nothing says it can’t still land'
        : 'nothing there yet, and a call of this process has not ended and may still send';
      return { kind: 'could-not-tell', detail };
    }
    return { kind: 'absent', proof: 'last-page' };
  } catch (thrown) {
    return { kind: 'could-not-tell', detail: wordsOf(thrown) };
  }
}

/** Rejects when the target does not end its call; what it says later is not heard. */
async function inTime<T>(engine: Engine, call: Promise<T>): Promise<T> {
  const boundMs = lookPatience * engine.target.declaration.clientTimeoutMs;
  const answer = await bounded(call, boundMs);
  if (answer.kind === 'overdue') throw new Error(`the look did not end within ${boundMs} ms`);
  return answer.value;
}

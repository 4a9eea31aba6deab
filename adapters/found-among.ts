/** What a lookup that was read to its end has found. In: the ids of everything that carries our stamp. */
import type { QueryResult } from './target.ts';

export function foundAmong(entityIds: readonly string[]): QueryResult {
  const [first, ...others] = entityIds;
  if (first === undefined) return { kind: 'absent', complete: true };
  return others.length === 0
    ? { kind: 'found', entityId: first }
    : { kind: 'many', entityIds: [first, ...others] };
}

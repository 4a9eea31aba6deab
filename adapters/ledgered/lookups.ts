/** How the ledger is asked about an id, and how an id is fenced. */

import type { Reply } from '../json-reply.ts';
import type { EffectTarget, FenceResult, QueryResult } from '../target.ts';
import { classifyFence, classifyLookup } from './classify.ts';
import { fencePathOf, pathOf } from './paths.ts';

export type CouldNotTell = { readonly kind: 'could-not-tell'; readonly detail: string };
export type Ask = <T extends QueryResult | FenceResult>(
  method: 'GET' | 'PUT',
  path: string,
  classify: (reply: Reply) => T,
) => Promise<T | CouldNotTell>;

export function lookups(ask: Ask): Required<Pick<EffectTarget, 'query' | 'fence'>> {
  return {
    query: ({ key }) => ask('GET', pathOf(key), (reply) => classifyLookup(reply, key)),
    fence: ({ key }) => ask('PUT', fencePathOf(key), (reply) => classifyFence(reply, key)),
  };
}

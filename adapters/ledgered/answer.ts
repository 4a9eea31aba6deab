/** What the ledger says: a status and a body. An error names its code, which never changes, and words, which may. */

import type { ServedAnswer } from '../whole-request-server.ts';
import { type Entry, type Fence, isReversed, type Reference } from './ledger-book.ts';

export function answerEntry(entry: Entry): ServedAnswer {
  return answerJson(201, renderEntry(entry));
}

export function answerEntries(
  id: string,
  entries: readonly Entry[],
  hasMore = false,
): ServedAnswer {
  return answerJson(200, { id, entries: entries.map(renderEntry), hasMore });
}

export interface ReferenceState extends Reference {
  readonly limitMinor: number;
  readonly version: number;
  readonly entries: readonly Entry[];
}

export function answerReference({ entries, ...state }: ReferenceState): ServedAnswer {
  return answerJson(200, { ...state, entries: entries.map(renderEntry), hasMore: false });
}

export function answerAccount(account: string, limitMinor: number): ServedAnswer {
  return answerJson(200, { account, limitMinor });
}

export function answerReversed(entry: Entry): ServedAnswer {
  return answerJson(200, renderEntry(entry));
}

export function answerFence(id: string, fence: Fence | null): ServedAnswer {
  return answerJson(200, { id, fence });
}

export interface Planting {
  readonly fence: Fence | null;
  /** What was there first. */
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

export function answerPlanting(id: string, { fence, entries, hasMore }: Planting): ServedAnswer {
  return answerJson(200, { id, fence, entries: entries.map(renderEntry), hasMore });
}

export function answerError(status: number, code: string, message: string): ServedAnswer {
  return answerJson(status, { error: { code, message } });
}

export function answerInvalid(message: string): ServedAnswer {
  return answerError(400, 'invalid', message);
}

export function answerUnauthorized(): ServedAnswer {
  return answerError(401, 'unauthorized', 'This token opens no ledger.');
}

export function answerForbidden(): ServedAnswer {
  return answerError(403, 'forbidden', 'Only people may do this.');
}

export function answerRateLimited(): ServedAnswer {
  return answerError(429, 'rate_limited', 'Too many requests.');
}

export function answerNotFound(method: string, path: string): ServedAnswer {
  return answerError(404, 'not_found', `There is no ${method} ${path}.`);
}

/** A definite refusal: the posting was compared with the fence and dropped, in one transaction. */
export function answerFenced(id: string, fence: Fence | null): ServedAnswer {
  const stands =
    fence === null
      ? 'there is no fence to take over'
      : `fence ${fence.version} ${fence.taken ? 'has been taken over' : 'stands'}`;
  return answerError(412, 'fenced', `Nothing was posted under ${id}: ${stands}.`);
}

function renderEntry(posted: Entry): object {
  const { entry, id, account, reference, amountMinor, currency, versions } = posted;
  const reversed = isReversed(posted);
  return { entry, id, account, reference, amountMinor, currency, reversed, versions };
}

function answerJson(status: number, body: object): ServedAnswer {
  return {
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
}

/**
 * What a ledger does with one whole request. In: the request, and faults that may meet it. Out: its
 * answer, and the book, changed. It never asks whether the sender still lives: a request received is
 * executed, unless the service itself restarts under it.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArmedFaults } from '../armed-faults.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import type { WorkItem } from '../work-in-hand.ts';
import {
  answerAccount,
  answerEntries,
  answerEntry,
  answerError,
  answerFence,
  answerFenced,
  answerForbidden,
  answerInvalid,
  answerNotFound,
  answerPlanting,
  answerRateLimited,
  answerReference,
  answerReversed,
  answerUnauthorized,
} from './answer.ts';
import type { Actor, LedgerBook, Reference } from './ledger-book.ts';
import { parseLimit, parsePosting, parseReversal } from './parse-body.ts';
import { readPlace } from './place.ts';

export interface LedgerRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly actor: Actor;
  readonly life: WorkItem['life'];
}

export interface LedgerParts {
  readonly book: LedgerBook;
  readonly faults: ArmedFaults;
  /** How long a read of entries may miss one while reads are stale. */
  readonly lagMs: number;
  /** How long it is at work on a posting before it takes effect. */
  readonly workMs: number;
  readonly now: () => number;
}

export class LedgerService {
  readonly #book: LedgerBook;
  readonly #faults: ArmedFaults;
  readonly #lagMs: number;
  readonly #workMs: number;
  readonly #now: () => number;

  constructor({ book, faults, lagMs, workMs, now }: LedgerParts) {
    this.#book = book;
    this.#faults = faults;
    this.#lagMs = lagMs;
    this.#workMs = workMs;
    this.#now = now;
  }

  async answer(request: LedgerRequest): Promise<ServedAnswer> {
    const { method, path, body, actor } = request;
    const place = readPlace(path);
    switch (place?.of) {
      case undefined:
        break;
      case 'postings':
        if (method === 'POST') return this.#post(request);
        break;
      case 'reversals':
        if (method === 'POST') return this.#reverse(body, actor);
        break;
      case 'entries':
        if (method === 'GET') return this.#lookUp(place.id, actor);
        break;
      case 'fence':
        if (method === 'GET') return answerFence(place.id, this.#book.fenceOf(place.id));
        if (method === 'PUT') return this.#plantFence(place.id, actor);
        break;
      case 'account':
        if (method === 'PUT') return this.#setLimit(place.account, body, actor);
        break;
      case 'reference':
        if (method === 'GET') return this.#readReference(place);
        break;
      default:
        return place satisfies never;
    }
    return answerNotFound(method, path);
  }

  async #post({ body, actor, life }: LedgerRequest): Promise<ServedAnswer> {
    const refusal = this.#faults.meet(actor, 'refused');
    if (refusal !== null) {
      return refusal.status === 401 ? answerUnauthorized() : answerRateLimited();
    }
    const parsed = parsePosting(body);
    if (parsed.kind === 'invalid') return answerInvalid(parsed.why);
    await this.#faults.pass(actor);
    if (this.#workMs > 0) await sleep(this.#workMs);
    // Read after a restart by nobody, and after a closing by whoever still waits.
    if (life.aborted) return answerUnauthorized();
    const posting = parsed.value;
    const posted = this.#book.post(posting, {
      actor,
      nowMs: this.#now(),
      landedMs: performance.now(),
    });
    switch (posted.kind) {
      case 'posted':
        return answerEntry(posted.entry);
      case 'fenced':
        return answerFenced(posting.id, posted.fence);
      case 'no-such-fence':
        return answerFenced(posting.id, null);
      default:
        return posted satisfies never;
    }
  }

  #reverse(body: string, actor: Actor): ServedAnswer {
    if (actor !== 'person') return answerForbidden();
    const parsed = parseReversal(body);
    if (parsed.kind === 'invalid') return answerInvalid(parsed.why);
    const reversed = this.#book.reverse(parsed.value);
    switch (reversed.kind) {
      case 'reversed':
        return answerReversed(reversed.entry);
      case 'no-such-entry':
        return answerError(404, 'not_found', `There is no entry ${parsed.value}.`);
      case 'reversed-before':
        return answerError(409, 'reversed', `Entry ${parsed.value} was reversed before.`);
      default:
        return reversed satisfies never;
    }
  }

  #setLimit(account: string, body: string, actor: Actor): ServedAnswer {
    if (actor !== 'person') return answerForbidden();
    const parsed = parseLimit(body);
    if (parsed.kind === 'invalid') return answerInvalid(parsed.why);
    this.#book.setLimit(account, parsed.value);
    return answerAccount(account, parsed.value);
  }

  /** One reading of one state: version and entries are of the same moment. */
  #readReference({ account, reference }: Reference): ServedAnswer {
    return answerReference({
      account,
      reference,
      limitMinor: this.#book.limitOf(account),
      version: this.#book.versionOf({ account, reference }),
      entries: this.#book.entriesOf({ account, reference }),
    });
  }

  /** May be answered by a copy that lags; only this may. */
  #lookUp(id: string, actor: Actor): ServedAnswer {
    const failure = this.#failLookup(actor);
    if (failure === 'claims-more') return answerEntries(id, [], true);
    if (failure !== null) return failure;
    const isStale = this.#faults.meet(actor, 'stale-read') !== null;
    const visibleUntilMs = performance.now() - (isStale ? this.#lagMs : 0);
    const entries = this.#book.entriesUnder(id);
    return answerEntries(
      id,
      entries.filter(({ landedMs }) => landedMs <= visibleUntilMs),
    );
  }

  #plantFence(id: string, actor: Actor): ServedAnswer {
    const failure = this.#failLookup(actor);
    if (failure === 'claims-more') {
      return answerPlanting(id, { fence: null, entries: [], hasMore: true });
    }
    if (failure !== null) return failure;
    this.#book.fence(id);
    const entries = this.#book.entriesUnder(id);
    return answerPlanting(id, { fence: this.#book.fenceOf(id), entries, hasMore: false });
  }

  /** A fence is how recovery looks, so that it fails as a lookup does, with nothing planted. */
  #failLookup(actor: Actor): ServedAnswer | 'claims-more' | null {
    const failure = this.#faults.meet(actor, 'lookup-error');
    if (failure === null) return null;
    const { how } = failure;
    switch (how) {
      case 401:
        return answerUnauthorized();
      case 429:
        return answerRateLimited();
      case 500:
        return answerError(500, 'internal', 'Something went wrong.');
      case 'empty-claims-more':
        return 'claims-more';
      default:
        return how satisfies never;
    }
  }
}

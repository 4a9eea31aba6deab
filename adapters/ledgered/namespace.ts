/**
 * One ledger of the stand-in: two tokens (the subject's and people's), a book, a clock and armed
 * faults. In: one whole request. Out: its answer, and the journal. It never asks whether the sender
 * still lives: a request received is a request executed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { ArmedFaults, meetingsOf } from '../armed-faults.ts';
import type { HeldRequest, JournalEffect, RailFault, RailNamespace } from '../rail.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import {
  answerEntries,
  answerEntry,
  answerError,
  answerFence,
  answerFenced,
  answerInvalid,
  answerNotFound,
  answerPlanting,
  answerRateLimited,
  answerUnauthorized,
} from './answer.ts';
import { exampleRequests } from './examples.ts';
import { type Actor, LedgerBook } from './ledger-book.ts';
import { parsePosting } from './parse-posting.ts';

export interface LedgerRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly actor: Actor;
}

export type SeenRequest = Omit<LedgerRequest, 'body'>;

export interface LedgeredRailNamespace extends RailNamespace {
  readonly personCredentials: JsonObject;
  readonly can: readonly RailFault['kind'][];
  idle(): boolean;
  setClock(offsetMs: number): void;
  makesNoEffect(request: { readonly method: string; readonly path: string }): boolean;
  arm(fault: RailFault, fired: () => void): void;
  close(): Promise<void>;
  /** Stops the subject's next posting in flight. */
  hold(): HeldRequest;
  /** Every whole request, oldest first. */
  requests(): readonly SeenRequest[];
}

export interface LedgerAccountOptions {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** How long a read of entries may miss one while reads are stale. */
  readonly lagMs: number;
}

export class LedgerAccount {
  readonly tokens: Readonly<Record<Actor, string>> = {
    subject: `ledger_${randomBytes(18).toString('hex')}`,
    person: `ledger_${randomBytes(18).toString('hex')}`,
  };
  readonly #options: LedgerAccountOptions;
  readonly #ledgerId: string;
  readonly #book: LedgerBook;
  readonly #faults = new ArmedFaults();
  readonly #can: readonly RailFault['kind'][];
  readonly #seen: SeenRequest[] = [];
  #clockOffsetMs = 0;
  #inWork = 0;
  #isClosed = false;

  constructor(options: LedgerAccountOptions) {
    const tag = createHash('sha256').update(options.id).digest('hex');
    this.#options = options;
    this.#ledgerId = `led_${tag.slice(0, 16)}`;
    this.#book = new LedgerBook(tag.slice(16, 32));
    this.#can = [
      'refused',
      'lookup-error',
      ...(options.lagMs === 0 ? [] : ['stale-read' as const]),
    ];
  }

  /** What a trial sees; `forget` makes the server drop the ledger's tokens. */
  open(forget: () => void): LedgeredRailNamespace {
    return {
      endpoint: this.#options.endpoint,
      credentials: { token: this.tokens.subject, ledger: this.#ledgerId },
      personCredentials: { token: this.tokens.person, ledger: this.#ledgerId },
      effects: async () => this.#journal(),
      examples: exampleRequests,
      idle: () => this.#inWork === 0,
      setClock: (offsetMs) => {
        this.#clockOffsetMs = offsetMs;
      },
      makesNoEffect: ({ method, path }) => method === 'PUT' && readPath(path)?.of === 'fence',
      can: this.#can,
      arm: (fault, fired) => {
        if (!this.#can.includes(fault.kind)) {
          throw new Error(
            `Ledger rail: expected one of the faults ${this.#can.join(', ')}; came ${fault.kind}. stale-read needs a rail with lagMs, and this service keeps no answers, so it can replay none.`,
          );
        }
        this.#faults.arm(fault, { meetings: meetingsOf(fault), fired });
      },
      close: async () => {
        forget();
        this.close();
      },
      hold: () => this.#faults.hold(),
      requests: () => this.#seen,
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#faults.clear();
  }

  /** A request has begun to arrive; call what is returned when it is answered or will never be whole. */
  begin(): () => void {
    this.#inWork += 1;
    return () => {
      this.#inWork -= 1;
    };
  }

  async answer({ method, path, body, actor }: LedgerRequest): Promise<ServedAnswer> {
    this.#seen.push({ method, path, actor });
    if (method === 'POST' && path === '/entries') return this.#post(body, actor);
    const place = readPath(path);
    if (place === null) return answerNotFound(method, path);
    switch (`${method} ${place.of}`) {
      case 'GET entries':
        return this.#lookUp(place.id, actor);
      case 'GET fence':
        return answerFence(place.id, this.#book.fenceOf(place.id));
      case 'PUT fence':
        return this.#plantFence(place.id, actor);
      default:
        return answerNotFound(method, path);
    }
  }

  async #post(body: string, actor: Actor): Promise<ServedAnswer> {
    const refusal = this.#faults.meet(actor, 'refused');
    if (refusal !== null) {
      return refusal.status === 401 ? answerUnauthorized() : answerRateLimited();
    }
    const parsed = parsePosting(body);
    if (parsed.kind === 'invalid') return answerInvalid(parsed.why);
    await this.#faults.pass(actor);
    if (this.#isClosed) return answerUnauthorized();
    const posted = this.#book.post(parsed.posting, {
      actor,
      nowMs: this.#now(),
      landedMs: performance.now(),
    });
    switch (posted.kind) {
      case 'posted':
        return answerEntry(posted.entry);
      case 'fenced':
        return answerFenced(parsed.posting.id, posted.fence);
      case 'no-such-fence':
        return answerFenced(parsed.posting.id, null);
      default:
        return posted satisfies never;
    }
  }

  /** May be answered by a copy that lags; only this may. */
  #lookUp(id: string, actor: Actor): ServedAnswer {
    const failure = this.#failLookup(actor);
    if (failure === 'claims-more') return answerEntries(id, [], true);
    if (failure !== null) return failure;
    const isStale = this.#faults.meet(actor, 'stale-read') !== null;
    const visibleUntilMs = performance.now() - (isStale ? this.#options.lagMs : 0);
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

  #journal(): readonly JournalEffect[] {
    return this.#book.entries().map((entry) => ({
      entityId: entry.entry,
      stamp: entry.id,
      actor: entry.actor,
      subject: `${entry.account}/${entry.reference}`,
      substance: { amountMinor: entry.amountMinor, currency: entry.currency },
      atMs: entry.postedAtMs,
    }));
  }

  #now(): number {
    return Date.now() + this.#clockOffsetMs;
  }
}

interface Place {
  readonly of: 'entries' | 'fence';
  readonly id: string;
}

/** `/entries/{id}` or `/entries/{id}/fence`. */
function readPath(path: string): Place | null {
  const [, encoded, fence] = /^\/entries\/([^/]+)(\/fence)?$/.exec(path) ?? [];
  if (encoded === undefined) return null;
  try {
    const id = decodeURIComponent(encoded);
    return { of: fence === undefined ? 'entries' : 'fence', id };
  } catch {
    return null;
  }
}

/**
 * One ledger of the stand-in: two tokens (the subject's and people's), a book, a clock and armed
 * faults. In: one whole request. Out: its answer, and the journal. It never asks whether the sender
 * still lives: a request received is executed, unless the service itself restarts under it.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { ArmedFaults, meetingsOf } from '../armed-faults.ts';
import {
  type HeldRequest,
  type JournalEffect,
  type RailFault,
  type RailNamespace,
  type RailWorldEvent,
  railWorldEvents,
} from '../rail.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import { WorkInHand, type WorkItem } from '../work-in-hand.ts';
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
import { exampleRequests } from './examples.ts';
import { type Actor, LedgerBook, type Reference } from './ledger-book.ts';
import { parseLimit, parsePosting, parseReversal } from './parse-body.ts';
import { readPlace } from './place.ts';
import { changeWorld } from './world.ts';

export interface LedgerRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly actor: Actor;
  readonly life: WorkItem['life'];
}

export type SeenRequest = Omit<LedgerRequest, 'body' | 'life'>;

export interface LedgeredRailNamespace extends RailNamespace {
  readonly personCredentials: JsonObject;
  readonly can: readonly RailFault['kind'][];
  idle(): boolean;
  setClock(offsetMs: number): void;
  makesNoEffect(request: { readonly method: string; readonly path: string }): boolean;
  arm(fault: RailFault, fired: () => void): void;
  close(): Promise<void>;
  readonly worldEvents: readonly RailWorldEvent[];
  world(event: RailWorldEvent, request: JsonObject): Promise<void>;
  /** Stops the subject's next posting once it has arrived whole. */
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
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

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
      idle: () => this.#work.isIdle(),
      setClock: (offsetMs) => {
        this.#clockOffsetMs = offsetMs;
      },
      makesNoEffect: ({ method, path }) => method === 'PUT' && readPlace(path)?.of === 'fence',
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
      worldEvents: railWorldEvents,
      world: (event, request) => this.#changeWorld(event, request),
      hold: () => this.#faults.hold(),
      requests: () => this.#seen,
    };
  }

  close(): void {
    this.#work.end();
    this.#faults.clear();
  }

  /** A request has begun to arrive. */
  begin(request: IncomingMessage): WorkItem {
    return this.#work.begin(request);
  }

  async answer(request: LedgerRequest): Promise<ServedAnswer> {
    const { method, path, body, actor } = request;
    this.#seen.push({ method, path, actor });
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

  async #changeWorld(event: RailWorldEvent, request: JsonObject): Promise<void> {
    if (event !== 'rail-restarted') {
      // What people do here is done at once: no restart comes between.
      const { signal: life } = new AbortController();
      await changeWorld(event, {
        book: this.#book,
        request,
        ask: (method, path, body) =>
          this.answer({ method, path, body: JSON.stringify(body), actor: 'person', life }),
      });
      return;
    }
    const restarted = this.#work.restart();
    this.#faults.letGo();
    await restarted;
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

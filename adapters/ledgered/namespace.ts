/**
 * One ledger of the stand-in: two tokens (the subject's and people's), a service, a clock, armed
 * faults and what people do. In: its requests, and what a trial asks of it. Out: answers, and the
 * journal.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ArmedFaults, meetingsOf } from '../armed-faults.ts';
import {
  type HeldRequest,
  type JournalEffect,
  type RailFault,
  type RailWorldEvent,
  railWorldEvents,
} from '../rail.ts';
import type { StandInNamespace } from '../stand-in-namespace.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import type { ServedAnswer } from '../whole-request-server.ts';
import { WorkInHand, type WorkItem } from '../work-in-hand.ts';
import { exampleRequests } from './examples.ts';
import { type Actor, LedgerBook } from './ledger-book.ts';
import { readPlace } from './place.ts';
import { type LedgerRequest, LedgerService } from './service.ts';
import { changeWorld } from './world.ts';

export type SeenRequest = Omit<LedgerRequest, 'body' | 'life'>;

export interface LedgeredRailNamespace extends StandInNamespace {
  makesNoEffect(request: { readonly method: string; readonly path: string }): boolean;
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
  /** How long it is at work on a posting before it takes effect. */
  readonly workMs: number;
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
  readonly #service: LedgerService;
  readonly #can: readonly RailFault['kind'][];
  readonly #seen: SeenRequest[] = [];
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

  constructor(options: LedgerAccountOptions) {
    const tag = createHash('sha256').update(options.id).digest('hex');
    this.#options = options;
    this.#ledgerId = `led_${tag.slice(0, 16)}`;
    this.#book = new LedgerBook(tag.slice(16, 32));
    this.#service = new LedgerService({
      book: this.#book,
      faults: this.#faults,
      lagMs: options.lagMs,
      workMs: options.workMs,
      now: () => Date.now() + this.#clockOffsetMs,
    });
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
    const { method, path, actor } = request;
    this.#seen.push({ method, path, actor });
    return this.#service.answer(request);
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
    await this.#work.restart(this.#faults);
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
}

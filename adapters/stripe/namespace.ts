/**
 * One Stripe account of the stand-in: two keys (the subject's and people's), a service, a clock, armed
 * faults and what people do. In: its requests, and what a trial asks of it. Out: answers, and the
 * journal.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { ArmedFaults } from '../armed-faults.ts';
import {
  type HeldRequest,
  type JournalEffect,
  type RailFault,
  type RailWorldEvent,
  railWorldEvents,
} from '../rail.ts';
import type { StandInNamespace } from '../stand-in-namespace.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import { WorkInHand, type WorkItem } from '../work-in-hand.ts';
import type { Answer } from './answer.ts';
import { type ExampleAmounts, examplePayment, exampleRequests } from './examples.ts';
import { isStripeRefusal, type StripeFault, stripeFaultsOf, stripeMeetingsOf } from './faults.ts';
import { type Actor, RefundBook, type RefundMaker } from './refunds.ts';
import { type StripeRequest, StripeService } from './service.ts';
import { changeWorld } from './world.ts';

/** What the stand-in saw of one request. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly actor: Actor;
}

export interface StripeRailNamespace extends StandInNamespace<StripeFault> {
  /** Stops the subject's next refund once its key is taken. */
  hold(): HeldRequest;
  /** Every whole request, oldest first; a client that sends again behind its caller's back shows here. */
  requests(): readonly SeenRequest[];
}

export interface StripeAccountOptions {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly ignoreKeys: boolean;
  /** How long a list may miss a refund while reads are stale. */
  readonly lagMs: number;
  /** How long it is at work on a refund before it takes effect. */
  readonly workMs: number;
  /** Of the examples; null: drawn from the seed. */
  readonly amounts: ExampleAmounts | null;
}

export class StripeAccount {
  readonly apiKeys: Readonly<Record<Actor, string>> = {
    subject: createApiKey(),
    person: createApiKey(),
  };
  readonly #faults = new ArmedFaults<StripeFault>();
  readonly #can: readonly RailFault['kind'][];
  readonly #options: StripeAccountOptions;
  readonly #accountId: string;
  readonly #book: RefundBook;
  readonly #service: StripeService;
  readonly #seen: SeenRequest[] = [];
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

  constructor(options: StripeAccountOptions) {
    const tag = createHash('sha256').update(options.id).digest('hex');
    this.#options = options;
    this.#can = stripeFaultsOf(options);
    this.#accountId = `acct_${tag.slice(0, 16)}`;
    this.#book = new RefundBook(tag.slice(16, 32));
    this.#service = new StripeService({
      accountId: this.#accountId,
      book: this.#book,
      faults: this.#faults,
      ignoreKeys: options.ignoreKeys,
      lagMs: options.lagMs,
      workMs: options.workMs,
      now: () => this.#now(),
      by: (actor) => this.#by(actor),
    });
  }

  /** What a trial sees; `forget` makes the server drop the account's keys. */
  open(forget: () => void): StripeRailNamespace {
    return {
      endpoint: this.#options.endpoint,
      credentials: { apiKey: this.apiKeys.subject, account: this.#accountId },
      personCredentials: { apiKey: this.apiKeys.person, account: this.#accountId },
      effects: async () => this.#journal(),
      examples: (seed) => {
        const { amounts } = this.#options;
        const payment = this.#book.addPayment(examplePayment(seed, this.#now(), amounts));
        return exampleRequests(seed, payment, amounts);
      },
      idle: () => this.#work.isIdle(),
      setClock: (offsetMs) => {
        this.#clockOffsetMs = offsetMs;
      },
      close: async () => {
        forget();
        this.close();
      },
      can: this.#can,
      arm: (fault, fired) => {
        if (!isStripeRefusal(fault)) this.#requireCan(fault);
        this.#faults.arm(fault, { meetings: stripeMeetingsOf(fault), fired });
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

  async answer(request: StripeRequest): Promise<Answer> {
    const { method, path, idempotencyKey, actor } = request;
    this.#seen.push({ method, path, idempotencyKey, actor });
    return this.#service.answer(request);
  }

  async #changeWorld(event: RailWorldEvent, request: JsonObject): Promise<void> {
    if (event !== 'rail-restarted') {
      changeWorld(event, { book: this.#book, request, by: this.#by('person') });
      return;
    }
    await this.#work.restart(this.#faults);
  }

  #requireCan({ kind }: RailFault): void {
    if (this.#can.includes(kind)) return;
    throw new Error(
      `Stripe rail: expected one of the faults ${this.#can.join(', ')}; came ${kind}. in-flight-conflict needs an account that honours keys, stale-read one with lagMs.`,
    );
  }

  #by(actor: Actor): RefundMaker {
    return { actor, nowMs: this.#now(), landedMs: performance.now() };
  }

  #journal(): readonly JournalEffect[] {
    return this.#book.refunds().map((refund) => ({
      entityId: refund.id,
      stamp: refund.metadata[stampField] ?? null,
      actor: refund.actor,
      subject: refund.payment.id,
      substance: { amountMinor: refund.amountMinor, currency: refund.payment.currency },
      atMs: refund.createdMs,
    }));
  }

  #now(): number {
    return Date.now() + this.#clockOffsetMs;
  }
}

/** The metadata field by which the target's refunds are known. Written out here: a rail and a target share no code. */
const stampField = 'decision_key';

function createApiKey(): string {
  return `sk_test_${randomBytes(18).toString('hex')}`;
}

/**
 * One Stripe account of the stand-in: two keys (the subject's and people's), payments, refunds, an
 * idempotency store, a clock and armed faults. In: one whole request. Out: its answer, and the
 * journal. It never asks whether the sender still lives: a request received is executed, unless the
 * service itself restarts under it.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { ArmedFaults } from '../armed-faults.ts';
import {
  type HeldRequest,
  type JournalEffect,
  type RailFault,
  type RailNamespace,
  type RailWorldEvent,
  railWorldEvents,
} from '../rail.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import { WorkInHand, type WorkItem } from '../work-in-hand.ts';
import {
  type Answer,
  answerBadRequest,
  answerNoSuch,
  answerNoSuchPath,
  answerNotAuthorized,
  answerObject,
  answerServerError,
  answerUnknownParameter,
} from './answer.ts';
import { crowdList } from './crowd.ts';
import { examplePayment, exampleRequests } from './examples.ts';
import {
  answerRefusal,
  isStripeRefusal,
  type StripeFault,
  stripeFaultsOf,
  stripeMeetingsOf,
} from './faults.ts';
import { type Form, fingerprintForm, parseForm } from './form.ts';
import { answerKeyInUse, IdempotencyStore } from './idempotency.ts';
import { answerLookupError, answerRefundList } from './refund-list.ts';
import { checkRefundParameters } from './refund-parameters.ts';
import {
  type Actor,
  answerCancel,
  answerPayment,
  answerRefund,
  RefundBook,
  type RefundMaker,
  renderRefund,
} from './refunds.ts';
import { changeWorld } from './world.ts';

export interface StripeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly idempotencyKey: string | null;
  readonly apiKey: string;
  readonly actor: Actor;
  readonly life: WorkItem['life'];
}

/** What the stand-in saw of one request. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly actor: Actor;
}

export interface StripeRailNamespace extends RailNamespace {
  readonly personCredentials: JsonObject;
  idle(): boolean;
  setClock(offsetMs: number): void;
  close(): Promise<void>;
  readonly can: readonly RailFault['kind'][];
  arm(fault: StripeFault, fired: () => void): void;
  readonly worldEvents: readonly RailWorldEvent[];
  world(event: RailWorldEvent, request: JsonObject): Promise<void>;
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
  readonly #keys = new IdempotencyStore(() => this.#now());
  readonly #seen: SeenRequest[] = [];
  readonly #work = new WorkInHand();
  #clockOffsetMs = 0;

  constructor(options: StripeAccountOptions) {
    const tag = createHash('sha256').update(options.id).digest('hex');
    this.#options = options;
    this.#can = stripeFaultsOf(options);
    this.#accountId = `acct_${tag.slice(0, 16)}`;
    this.#book = new RefundBook(tag.slice(16, 32));
  }

  /** What a trial sees; `forget` makes the server drop the account's keys. */
  open(forget: () => void): StripeRailNamespace {
    return {
      endpoint: this.#options.endpoint,
      credentials: { apiKey: this.apiKeys.subject, account: this.#accountId },
      personCredentials: { apiKey: this.apiKeys.person, account: this.#accountId },
      effects: async () => this.#journal(),
      examples: (seed) => {
        const payment = this.#book.addPayment(examplePayment(seed, this.#now()));
        return exampleRequests(seed, payment);
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
    switch (method) {
      case 'GET':
        return this.#read(request);
      case 'POST':
        return this.#write(request);
      default:
        return answerNoSuchPath(method, path);
    }
  }

  #read({ method, path, query, apiKey, actor }: StripeRequest): Answer {
    const [, kind, id] = /^\/v1\/(refunds|payment_intents)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (kind === undefined) return answerNoSuchPath(method, path);
    const parsed = parseForm(query);
    if (parsed.kind === 'malformed') return answerMalformed(parsed.name);
    if (kind === 'refunds') {
      return id === undefined
        ? this.#list(parsed.form, { actor, apiKey })
        : answerRefund(this.#book, id);
    }
    return id === undefined ? answerNoSuchPath(method, path) : answerPayment(this.#book, id);
  }

  #list(query: Form, { actor, apiKey }: Pick<StripeRequest, 'actor' | 'apiKey'>): Answer {
    const failure = this.#faults.meet(actor, 'lookup-error');
    if (failure !== null) return answerLookupError(failure.how, apiKey);
    const paged = this.#faults.meet(actor, 'paged');
    if (paged !== null) crowdList({ book: this.#book, query, paged, by: this.#by('person') });
    const isStale = this.#faults.meet(actor, 'stale-read') !== null;
    const visibleUntilMs = performance.now() - (isStale ? this.#options.lagMs : 0);
    const refunds = this.#book.refunds().filter(({ landedMs }) => landedMs <= visibleUntilMs);
    return answerRefundList(refunds, query);
  }

  async #write(request: StripeRequest): Promise<Answer> {
    const refusal = this.#refuse(request);
    if (refusal !== null) return refusal;
    const parsed = parseForm(request.body);
    if (parsed.kind === 'malformed') return answerMalformed(parsed.name);
    const { idempotencyKey: key, path } = request;
    if (key === null || this.#options.ignoreKeys) {
      return (await this.#execute(request, parsed.form)).answer;
    }
    const fingerprint = fingerprintForm(parsed.form);
    const admission = this.#keys.admit({ key, path, fingerprint });
    if (admission.kind === 'answer') return admission.answer;
    const { began, answer } = await this.#execute(request, parsed.form);
    if (began) this.#keys.store(admission.entry, answer);
    else this.#keys.release(admission.entry);
    return answer;
  }

  /** What is said before the idempotency layer, which then never sees the request. */
  #refuse({ actor, apiKey, idempotencyKey: key }: StripeRequest): Answer | null {
    const refusal = this.#faults.meet(actor, 'refused', 'forbidden', 'lock-timeout');
    if (refusal !== null) return answerRefusal(refusal, apiKey);
    if (key === null) return null;
    return this.#faults.meet(actor, 'in-flight-conflict') === null ? null : answerKeyInUse(key);
  }

  async #execute(request: StripeRequest, form: Form): Promise<Execution> {
    const { method, path, actor, life } = request;
    const [, cancelled] = /^\/v1\/refunds\/([^/]+)\/cancel$/.exec(path) ?? [];
    if (cancelled !== undefined) return this.#cancel(cancelled, form);
    if (path !== '/v1/refunds') return { began: false, answer: answerNoSuchPath(method, path) };
    const checked = checkRefundParameters(form);
    if (checked.kind === 'invalid') return { began: false, answer: checked.answer };
    await this.#faults.pass(actor);
    // Read after a restart by nobody, and after a closing by whoever still waits.
    if (life.aborted) return { began: false, answer: answerNotAuthorized(null) };
    const parameters = checked.value;
    const payment = this.#book.findPayment(parameters.source);
    if (payment === undefined) {
      const { kind, id } = parameters.source;
      return { began: false, answer: answerNoSuch(kind, id, kind) };
    }
    const fault = this.#faults.meet(actor, 'stored-error');
    if (fault !== null && !fault.landed) return { began: true, answer: answerServerError() };
    const refunded = this.#book.refund(payment, parameters, this.#by(actor));
    if (fault !== null) return { began: true, answer: answerServerError() };
    return {
      began: true,
      answer:
        refunded.kind === 'made' ? answerObject(renderRefund(refunded.refund)) : refunded.answer,
    };
  }

  #cancel(id: string, form: Form): Execution {
    const [stranger] = form.keys();
    return stranger === undefined
      ? { began: true, answer: answerCancel(this.#book, id) }
      : { began: false, answer: answerUnknownParameter(stranger) };
  }

  async #changeWorld(event: RailWorldEvent, request: JsonObject): Promise<void> {
    if (event !== 'rail-restarted') {
      changeWorld(event, { book: this.#book, request, by: this.#by('person') });
      return;
    }
    const restarted = this.#work.restart();
    this.#faults.letGo();
    await restarted;
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

interface Execution {
  /** False for what Stripe refuses before execution: such an answer is not stored. */
  readonly began: boolean;
  readonly answer: Answer;
}

/** The metadata field by which the target's refunds are known. Written out here: a rail and a target share no code. */
const stampField = 'decision_key';

function answerMalformed(name: string): Answer {
  return answerBadRequest({ param: name, message: `Invalid parameter name: ${name}` });
}

function createApiKey(): string {
  return `sk_test_${randomBytes(18).toString('hex')}`;
}

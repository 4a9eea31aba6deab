/**
 * What a Stripe account does with one whole request. In: the request, and faults that may meet it.
 * Out: its answer, and the book, changed. It never asks whether the sender still lives: a request
 * received is executed, unless the service itself restarts under it.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArmedFaults } from '../armed-faults.ts';
import type { WorkItem } from '../work-in-hand.ts';
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
import { answerRefusal, type StripeFault } from './faults.ts';
import { type Form, fingerprintForm, parseForm } from './form.ts';
import { answerKeyInUse, IdempotencyStore } from './idempotency.ts';
import {
  answerDescribed,
  answerPayment,
  checkPaymentParameters,
  renderPayment,
} from './payment-intents.ts';
import { answerLookupError, answerRefundList } from './refund-list.ts';
import { checkRefundParameters } from './refund-parameters.ts';
import {
  type Actor,
  answerCancel,
  answerRefund,
  type RefundBook,
  type RefundMaker,
  renderRefund,
} from './refunds.ts';

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

export interface StripeParts {
  readonly accountId: string;
  readonly book: RefundBook;
  readonly faults: ArmedFaults<StripeFault>;
  readonly ignoreKeys: boolean;
  /** How long a list may miss a refund while reads are stale. */
  readonly lagMs: number;
  /** How long it is at work on a refund before it takes effect. */
  readonly workMs: number;
  readonly now: () => number;
  readonly by: (actor: Actor) => RefundMaker;
}

export class StripeService {
  readonly #accountId: string;
  readonly #book: RefundBook;
  readonly #faults: ArmedFaults<StripeFault>;
  readonly #ignoreKeys: boolean;
  readonly #lagMs: number;
  readonly #workMs: number;
  readonly #by: (actor: Actor) => RefundMaker;
  readonly #keys: IdempotencyStore;

  constructor({ accountId, book, faults, ignoreKeys, lagMs, workMs, now, by }: StripeParts) {
    this.#accountId = accountId;
    this.#book = book;
    this.#faults = faults;
    this.#ignoreKeys = ignoreKeys;
    this.#lagMs = lagMs;
    this.#workMs = workMs;
    this.#by = by;
    this.#keys = new IdempotencyStore(now);
  }

  async answer(request: StripeRequest): Promise<Answer> {
    const { method, path } = request;
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
    if (path === '/v1/account') {
      return answerObject({ id: this.#accountId, object: 'account', type: 'standard' });
    }
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
    const visibleUntilMs = performance.now() - (isStale ? this.#lagMs : 0);
    const refunds = this.#book.refunds().filter(({ landedMs }) => landedMs <= visibleUntilMs);
    return answerRefundList(refunds, query);
  }

  async #write(request: StripeRequest): Promise<Answer> {
    const refusal = this.#refuse(request);
    if (refusal !== null) return refusal;
    const parsed = parseForm(request.body);
    if (parsed.kind === 'malformed') return answerMalformed(parsed.name);
    const { idempotencyKey: key, path } = request;
    if (key === null || this.#ignoreKeys) {
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
    const [, intents, intent] = /^\/v1\/(payment_intents)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (intents !== undefined) return this.#pay(request, form, intent);
    if (path !== '/v1/refunds') return { began: false, answer: answerNoSuchPath(method, path) };
    const checked = checkRefundParameters(form);
    if (checked.kind === 'invalid') return { began: false, answer: checked.answer };
    await this.#faults.pass(actor);
    if (this.#workMs > 0) await sleep(this.#workMs);
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

  #pay({ actor }: StripeRequest, form: Form, intent: string | undefined): Execution {
    if (intent !== undefined) {
      return { began: true, answer: answerDescribed(this.#book, intent, form) };
    }
    const checked = checkPaymentParameters(form);
    if (checked.kind === 'invalid') return { began: false, answer: checked.answer };
    const payment = this.#book.makePayment({ ...checked.value, createdMs: this.#by(actor).nowMs });
    return { began: true, answer: answerObject(renderPayment(payment)) };
  }

  #cancel(id: string, form: Form): Execution {
    const [stranger] = form.keys();
    return stranger === undefined
      ? { began: true, answer: answerCancel(this.#book, id) }
      : { began: false, answer: answerUnknownParameter(stranger) };
  }
}

interface Execution {
  /** False for what Stripe refuses before execution: such an answer is not stored. */
  readonly began: boolean;
  readonly answer: Answer;
}

function answerMalformed(name: string): Answer {
  return answerBadRequest({ param: name, message: `Invalid parameter name: ${name}` });
}

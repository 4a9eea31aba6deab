/**
 * What the service does with one whole request. In: the request, and faults that may meet it. Out: its
 * answer, and the outbox, changed. It never asks whether the sender still lives: a request received is
 * executed, unless the service itself restarts under it.
 *
 * What is refused is not remembered under a key: only a request that was taken up is. Whether a failure
 * is, nobody has written down; it is where a fault says so.
 */
import type { ArmedFaults } from '../../armed-faults.ts';
import { type KeyEntry, KeyStore } from '../../key-store.ts';
import type { ServedAnswer } from '../../whole-request-server.ts';
import type { WorkItem } from '../../work-in-hand.ts';
import { domainOf } from '../address.ts';
import type { Actor, MailMessage } from './accepted-mail.ts';
import {
  answerAccepted,
  answerFailure,
  answerInvalidApiKey,
  answerInvalidField,
  answerInvalidKey,
  answerKeyInFlight,
  answerMail,
  answerMethodNotAllowed,
  answerNotFound,
  answerOtherPayload,
  answerQuotaExceeded,
  answerRateLimited,
  answerUnverifiedDomain,
} from './answer.ts';
import type { Outbox } from './outbox.ts';
import { bareAddress, parseMessage } from './parse-message.ts';

const keptForMs = 24 * 60 * 60 * 1000;
const maxKeyLength = 256;

export interface MailServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** What came in `Idempotency-Key`, an empty one included; null: nothing did. */
  readonly key: string | null;
  readonly actor: Actor;
  readonly life: WorkItem['life'];
}

export interface MailServiceParts {
  readonly outbox: Outbox;
  readonly faults: ArmedFaults;
  /** Whose mail may be sent. */
  readonly verifiedDomain: string;
  readonly now: () => number;
}

interface KeyedRequest {
  readonly key: string;
  /** Two requests are the same exactly when these are. */
  readonly body: string;
}

export class MailService {
  readonly #parts: MailServiceParts;
  readonly #keys: KeyStore<KeyedRequest, ServedAnswer>;

  constructor(parts: MailServiceParts) {
    this.#parts = parts;
    this.#keys = new KeyStore({ keptForMs, now: parts.now });
  }

  async answer(request: MailServiceRequest): Promise<ServedAnswer> {
    const { method, path } = request;
    if (path === '/emails') {
      return method === 'POST' ? this.#send(request) : answerMethodNotAllowed();
    }
    const id = /^\/emails\/([^/?]+)$/.exec(path)?.[1];
    if (id === undefined) return answerNotFound();
    if (method !== 'GET') return answerMethodNotAllowed();
    const mail = this.#parts.outbox.find(id);
    return mail === undefined ? answerNotFound('Email not found') : answerMail(mail);
  }

  async #send(request: MailServiceRequest): Promise<ServedAnswer> {
    const { key, body, actor } = request;
    const refusal = this.#refuse(actor);
    if (refusal !== null) return refusal;
    if (key !== null && (key.length === 0 || key.length > maxKeyLength)) return answerInvalidKey();
    if (key !== null && this.#parts.faults.meet(actor, 'in-flight-conflict') !== null) {
      return answerKeyInFlight();
    }
    const parsed = parseMessage(body);
    if (parsed.kind === 'refused') return parsed.answer;
    const { message } = parsed;
    const domain = domainOf(bareAddress(message.from));
    if (domain !== this.#parts.verifiedDomain) return answerUnverifiedDomain(domain);
    if (key === null) return (await this.#accept(message, request)) ?? answerGone();
    const { isFresh, entry } = this.#keys.take({ key, body });
    if (isFresh) return this.#acceptUnder(entry, message, request);
    if (entry.stored === null) return answerKeyInFlight();
    return entry.request.body === body ? entry.stored : answerOtherPayload();
  }

  async #acceptUnder(
    entry: KeyEntry<KeyedRequest, ServedAnswer>,
    message: MailMessage,
    request: MailServiceRequest,
  ): Promise<ServedAnswer> {
    const answer = await this.#accept(message, request);
    if (answer === null) {
      this.#keys.release(entry);
      return answerGone();
    }
    this.#keys.store(entry, answer);
    return answer;
  }

  /** Null: the service died under it, and nothing was accepted. */
  async #accept(
    message: MailMessage,
    { actor, life }: MailServiceRequest,
  ): Promise<ServedAnswer | null> {
    const { faults, outbox, now } = this.#parts;
    await faults.pass(actor);
    if (life.aborted) return null;
    const failure = faults.meet(actor, 'stored-error');
    if (failure !== null && !failure.landed) return answerFailure();
    const accepted = answerAccepted(outbox.accept(message, { actor, atMs: now() }));
    return failure === null ? accepted : answerFailure();
  }

  #refuse(actor: Actor): ServedAnswer | null {
    const fault = this.#parts.faults.meet(actor, 'refused', 'turned-down');
    switch (fault?.kind) {
      case undefined:
        return null;
      case 'refused':
        return fault.status === 401 ? answerInvalidApiKey(true) : answerRateLimited();
      case 'turned-down':
        return fault.forGood ? answerNeverValid() : answerQuotaExceeded('daily');
      default:
        return fault satisfies never;
    }
  }
}

function answerNeverValid(): ServedAnswer {
  return answerInvalidField('to', 'The recipient is one that no mail can be sent to.');
}

/** Read after a restart by nobody, and after a closing by whoever still waits: its key opens nothing any more. */
function answerGone(): ServedAnswer {
  return answerInvalidApiKey(true);
}

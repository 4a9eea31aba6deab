/**
 * Stripe's idempotency layer for API v1. In: a key and what was asked under it. Out: whether to
 * execute, and if not, what to say. Source: docs.stripe.com/api/idempotent_requests and
 * /error-low-level.
 */
import { type KeyEntry, KeyStore } from '../key-store.ts';
import { type Answer, answerBadRequest, answerFailure } from './answer.ts';

const keptForMs = 24 * 60 * 60 * 1000;
const maxKeyLength = 255;

export interface KeyedRequest {
  readonly key: string;
  readonly path: string;
  /** Two requests are the same exactly when these are. */
  readonly fingerprint: string;
}

export type Admission =
  /** The key is this request's now; it must be stored under or released. */
  | { readonly kind: 'execute'; readonly entry: Entry }
  | { readonly kind: 'answer'; readonly answer: Answer };

type Entry = KeyEntry<KeyedRequest, Answer>;

export class IdempotencyStore extends KeyStore<KeyedRequest, Answer> {
  constructor(now: () => number) {
    super({ keptForMs, now });
  }

  admit(request: KeyedRequest): Admission {
    if (request.key.length > maxKeyLength) {
      return { kind: 'answer', answer: answerKeyTooLong(request.key) };
    }
    const { isFresh, entry } = this.take(request);
    return isFresh
      ? { kind: 'execute', entry }
      : { kind: 'answer', answer: answerKnownKey(entry, request) };
  }
}

function answerKnownKey(entry: Entry, request: KeyedRequest): Answer {
  if (entry.request.path !== request.path) return answerOtherEndpoint(entry.request, request);
  if (entry.request.fingerprint !== request.fingerprint) return answerOtherParameters(request);
  if (entry.stored === null) return answerKeyInUse(request.key);
  return { ...entry.stored, headers: { ...entry.stored.headers, 'idempotent-replayed': 'true' } };
}

function answerOtherParameters({ key }: KeyedRequest): Answer {
  return answerFailure(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  });
}

function answerOtherEndpoint(first: KeyedRequest, { key, path }: KeyedRequest): Answer {
  return answerFailure(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${first.path}'). Try using a key other than '${key}' if you meant to execute a different request.`,
  });
}

/** Its `type` is idempotency_error in most reports; the code is what can be relied on. */
export function answerKeyInUse(key: string): Answer {
  return answerFailure(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  });
}

function answerKeyTooLong(key: string): Answer {
  return answerBadRequest({
    message: `Idempotency keys can have at most ${maxKeyLength} characters; got ${key.length}.`,
  });
}

/**
 * What Stripe checks of a refund before anything is executed. In: a form. Out: checked parameters, or
 * the refusal, which is not stored under a key. Source: docs.stripe.com/api/refunds/create.
 */
import { type Answer, answerBadRequest, answerUnknownParameter } from './answer.ts';
import type { Form, FormValue } from './form.ts';

export interface RefundParameters {
  readonly source: { readonly kind: 'payment_intent' | 'charge'; readonly id: string };
  /** Null: all that is left. */
  readonly amountMinor: number | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export type Checked<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly answer: Answer };

const createFields = ['payment_intent', 'charge', 'amount', 'reason', 'metadata'];
const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'];
/** Source: docs.stripe.com/api/metadata. */
const metadataLimits = { keys: 50, keyLength: 40, valueLength: 500 };

export function checkRefundParameters(form: Form): Checked<RefundParameters> {
  const stranger = [...form.keys()].find((name) => !createFields.includes(name));
  if (stranger !== undefined) return invalid(answerUnknownParameter(stranger));
  const paymentIntent = form.get('payment_intent');
  const charge = form.get('charge');
  if ((paymentIntent === undefined) === (charge === undefined)) {
    return invalid(
      answerBadRequest({
        message: `Exactly one of payment_intent and charge must be given; got ${charge === undefined ? 'neither' : 'both'}.`,
      }),
    );
  }
  const id = paymentIntent ?? charge;
  if (typeof id !== 'string' || id === '') {
    return invalid(answerBadRequest({ message: 'An id must be a non-empty string.' }));
  }
  const amount = checkAmount(form.get('amount'));
  if (amount.kind === 'invalid') return amount;
  const reason = form.get('reason') ?? null;
  if (reason !== null && (typeof reason !== 'string' || !reasons.includes(reason))) {
    return invalid(
      answerBadRequest({
        param: 'reason',
        message: `Invalid reason: must be one of ${reasons.join(', ')}`,
      }),
    );
  }
  const metadata = checkMetadata(form.get('metadata'));
  if (metadata.kind === 'invalid') return metadata;
  const kind = paymentIntent === undefined ? 'charge' : 'payment_intent';
  return valid({
    source: { kind, id },
    amountMinor: amount.value,
    reason,
    metadata: metadata.value,
  });
}

function checkAmount(value: FormValue | undefined): Checked<number | null> {
  if (value === undefined) return valid(null);
  if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) {
    return invalid(
      answerBadRequest({
        code: 'parameter_invalid_integer',
        param: 'amount',
        message: `Invalid integer: ${typeof value === 'string' ? value : 'amount'}`,
      }),
    );
  }
  if (Number(value) > 0) return valid(Number(value));
  return invalid(
    answerBadRequest({
      code: 'parameter_invalid_integer',
      param: 'amount',
      message: 'Invalid positive integer',
    }),
  );
}

function checkMetadata(value: FormValue | undefined): Checked<Readonly<Record<string, string>>> {
  if (value === undefined || value === '') return valid({});
  if (typeof value === 'string') {
    return invalid(answerBadRequest({ param: 'metadata', message: 'Invalid object' }));
  }
  const { keys, keyLength, valueLength } = metadataLimits;
  if (value.size > keys) {
    return invalid(
      answerBadRequest({
        param: 'metadata',
        message: `Metadata can have up to ${keys} keys, but you passed in ${value.size}.`,
      }),
    );
  }
  for (const [name, text] of value) {
    if (name.length > keyLength) {
      return invalid(
        answerBadRequest({
          param: 'metadata',
          message: `Metadata keys can have up to ${keyLength} characters, but you passed in one of ${name.length}.`,
        }),
      );
    }
    if (text.length > valueLength) {
      return invalid(
        answerBadRequest({
          param: `metadata[${name}]`,
          message: `Metadata values can have up to ${valueLength} characters, but you passed in a value that is ${text.length} characters.`,
        }),
      );
    }
  }
  // An empty value means "unset", on an object that has nothing to unset yet.
  return valid(Object.fromEntries([...value].filter(([, text]) => text !== '')));
}

function valid<T>(value: T): Checked<T> {
  return { kind: 'valid', value };
}

function invalid(answer: Answer): { readonly kind: 'invalid'; readonly answer: Answer } {
  return { kind: 'invalid', answer };
}

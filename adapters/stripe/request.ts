/**
 * The refund a gate may ask for. In: the JSON of a request. Out: a checked refund or an
 * InvalidRequestError; an amount is never rounded, guessed or defaulted ("all that is left" depends
 * on the day it is asked).
 */
import { InvalidRequestError, type JsonObject, type JsonValue } from '../target.ts';

export interface RefundRequest {
  readonly paymentIntent: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly reason: RefundReason | null;
}

/** Source: docs.stripe.com/api/refunds/create. */
const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const;
export type RefundReason = (typeof reasons)[number];

/** `distinct` names the approval; the gate puts it into the decision's key, Stripe never sees it. */
const fields = ['operation', 'paymentIntent', 'amountMinor', 'currency', 'reason', 'distinct'];

/** Throws InvalidRequestError, which says what was expected, what came and what to do. */
export function parseRefundRequest(request: JsonObject): RefundRequest {
  const unknown = Object.keys(request).filter((field) => !fields.includes(field));
  if (unknown.length > 0) {
    throw new InvalidRequestError(
      `A refund request has the fields ${fields.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
    );
  }
  if (request.operation !== 'refund') {
    throw invalid('operation', "'refund'", request.operation, 'This target makes refunds only');
  }
  if (request.distinct !== undefined && !isFilledString(request.distinct)) {
    throw invalid(
      'distinct',
      'a non-empty string or no field',
      request.distinct,
      'Name the approval that makes this a decision of its own, or leave it out',
    );
  }
  return {
    paymentIntent: parsePaymentIntent(request.paymentIntent),
    amountMinor: parseAmount(request.amountMinor),
    currency: parseCurrency(request.currency),
    reason: parseReason(request.reason),
  };
}

function parsePaymentIntent(value: JsonValue | undefined): string {
  if (typeof value === 'string' && /^pi_\w+$/.test(value)) return value;
  throw invalid(
    'paymentIntent',
    'an id that begins with pi_',
    value,
    'Pass the id of the payment to refund',
  );
}

function parseAmount(value: JsonValue | undefined): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw invalid(
    'amountMinor',
    'a positive integer in minor units',
    value,
    'Write 20.00 dollars as 2000',
  );
}

function parseCurrency(value: JsonValue | undefined): string {
  if (typeof value === 'string' && /^[a-z]{3}$/.test(value)) return value;
  throw invalid(
    'currency',
    'a three-letter code in lower case',
    value,
    "Write it as Stripe does, e.g. 'usd'",
  );
}

function parseReason(value: JsonValue | undefined): RefundReason | null {
  if (value === undefined) return null;
  const reason = reasons.find((known) => known === value);
  if (reason !== undefined) return reason;
  throw invalid(
    'reason',
    `one of ${reasons.join(', ')} or no field`,
    value,
    'Keep free text in your own records',
  );
}

function isFilledString(value: JsonValue): boolean {
  return typeof value === 'string' && value.length > 0;
}

function invalid(field: string, expected: string, came: JsonValue | undefined, todo: string) {
  const shown = came === undefined ? 'nothing' : JSON.stringify(came).slice(0, 80);
  return new InvalidRequestError(
    `Refund request: ${field} must be ${expected}; came ${shown}. ${todo}.`,
  );
}

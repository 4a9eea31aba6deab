/**
 * The credit a gate may ask for. In: the JSON of a request. Out: a checked credit or an
 * InvalidRequestError; an amount is never rounded, guessed or defaulted.
 */
import { InvalidRequestError, type JsonObject, type JsonValue } from '../target.ts';

export interface CreditRequest {
  readonly account: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Null when none was given. */
  readonly reason: string | null;
}

/** `distinct` names the approval; the gate puts it into the decision's key, the database never sees it. */
const fields = [
  'operation',
  'account',
  'reference',
  'amountMinor',
  'currency',
  'reason',
  'distinct',
];

/** Throws InvalidRequestError, which says what was expected, what came and what to do. */
export function parseCreditRequest(request: JsonObject): CreditRequest {
  const unknown = Object.keys(request).filter((field) => !fields.includes(field));
  if (unknown.length > 0) {
    throw new InvalidRequestError(
      `A request to credit has the fields ${fields.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
    );
  }
  const { operation, account, reference, amountMinor, currency, reason, distinct } = request;
  if (operation !== 'credit') {
    throw invalid('operation', "'credit'", operation, 'This target credits accounts only');
  }
  if (distinct !== undefined && !matches(distinct, /./s)) {
    throw invalid(
      'distinct',
      'a non-empty string or no field',
      distinct,
      'Name the approval that makes this a decision of its own, or leave it out',
    );
  }
  // Without a slash in the account, account and reference can be told apart in the decision's subject.
  if (!matches(account, shapeOfId) || account.includes('/')) {
    throw invalid(
      'account',
      'an id of 1 to 100 printable characters without a slash',
      account,
      'Pass the account to credit',
    );
  }
  if (!matches(reference, shapeOfId)) {
    throw invalid(
      'reference',
      'an id of 1 to 100 printable characters',
      reference,
      'Pass what the credit is for',
    );
  }
  if (typeof amountMinor !== 'number' || !Number.isSafeInteger(amountMinor) || amountMinor <= 0) {
    throw invalid(
      'amountMinor',
      'a positive integer in minor units',
      amountMinor,
      'Write 20.00 euros as 2000',
    );
  }
  if (!matches(currency, /^[a-z]{3}$/)) {
    throw invalid('currency', 'a three-letter code in lower case', currency, "Write it as 'eur'");
  }
  if (reason !== undefined && !matches(reason, /^[^\p{Cc}\p{Cs}]{1,500}$/u)) {
    throw invalid(
      'reason',
      'a text of 1 to 500 characters without control characters, or no field',
      reason,
      'Shorten it or leave it out',
    );
  }
  return { account, reference, amountMinor, currency, reason: reason ?? null };
}

/** Postgres keeps no NUL in a text, and half a surrogate pair becomes another character on the way. */
const shapeOfId = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

function matches(value: JsonValue | undefined, shape: RegExp): value is string {
  return typeof value === 'string' && shape.test(value);
}

function invalid(field: string, expected: string, came: JsonValue | undefined, todo: string) {
  const shown = came === undefined ? 'nothing' : JSON.stringify(came).slice(0, 80);
  return new InvalidRequestError(
    `Request to credit: ${field} must be ${expected}; came ${shown}. ${todo}.`,
  );
}

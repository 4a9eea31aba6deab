/**
 * The posting a gate may ask for. In: the JSON of a request. Out: a checked posting or an
 * InvalidRequestError; an amount is never rounded, guessed or defaulted.
 */
import { InvalidRequestError, type JsonObject, type JsonValue } from '../target.ts';

export interface PostRequest {
  readonly account: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** `distinct` names the approval; the gate puts it into the decision's key, the ledger never sees it. */
const fields = ['operation', 'account', 'reference', 'amountMinor', 'currency', 'distinct'];

/** Throws InvalidRequestError, which says what was expected, what came and what to do. */
export function parsePostRequest(request: JsonObject): PostRequest {
  const unknown = Object.keys(request).filter((field) => !fields.includes(field));
  if (unknown.length > 0) {
    throw new InvalidRequestError(
      `A request to post has the fields ${fields.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
    );
  }
  const { operation, account, reference, amountMinor, currency, distinct } = request;
  if (operation !== 'post') {
    throw invalid('operation', "'post'", operation, 'This target posts entries only');
  }
  if (distinct !== undefined && !matches(distinct, /./s)) {
    throw invalid(
      'distinct',
      'a non-empty string or no field',
      distinct,
      'Name the approval that makes this a decision of its own, or leave it out',
    );
  }
  if (!matches(account, /^acc_\w+$/)) {
    throw invalid('account', 'an id that begins with acc_', account, 'Pass the account to post to');
  }
  if (!matches(reference, /^ref_\w+$/)) {
    throw invalid(
      'reference',
      'an id that begins with ref_',
      reference,
      'Pass what the entry is for',
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
  return { account, reference, amountMinor, currency };
}

function matches(value: JsonValue | undefined, shape: RegExp): value is string {
  return typeof value === 'string' && shape.test(value);
}

function invalid(field: string, expected: string, came: JsonValue | undefined, todo: string) {
  const shown = came === undefined ? 'nothing' : JSON.stringify(came).slice(0, 80);
  return new InvalidRequestError(
    `Request to post: ${field} must be ${expected}; came ${shown}. ${todo}.`,
  );
}

/** The credit a gate may ask for. In: the JSON of a request. Out: a checked credit or an InvalidRequestError. */
import { RequestFields } from '../request-fields.ts';
import type { JsonObject } from '../target.ts';

export interface CreditRequest {
  readonly account: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Null when none was given. */
  readonly reason: string | null;
}

/** `distinct` names the approval; the gate puts it into the decision's key, the database never sees it. */
const names = [
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
  const fields = new RequestFields('Request to credit', request, names);
  fields.operation('credit', 'This target credits accounts only');
  fields.distinct();
  return {
    account: fields.text('account', shapeOfAccount, {
      expected: 'an id of 1 to 100 printable characters without a slash',
      todo: 'Pass the account to credit',
    }),
    reference: fields.text('reference', shapeOfId, {
      expected: 'an id of 1 to 100 printable characters',
      todo: 'Pass what the credit is for',
    }),
    amountMinor: fields.amountMinor('20.00 euros as 2000'),
    currency: fields.currency('eur'),
    reason:
      fields.get('reason') === undefined
        ? null
        : fields.text('reason', /^[^\p{Cc}\p{Cs}]{1,500}$/u, {
            expected: 'a text of 1 to 500 characters without control characters, or no field',
            todo: 'Shorten it or leave it out',
          }),
  };
}

/** Postgres keeps no NUL in a text, and half a surrogate pair becomes another character on the way. */
const shapeOfId = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
/** Without a slash, account and reference can be told apart in the decision's subject. */
const shapeOfAccount = /^[^\p{Cc}\p{Cs}/]{1,100}$/u;

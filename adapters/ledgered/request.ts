/** The posting a gate may ask for. In: the JSON of a request. Out: a checked posting or an InvalidRequestError. */
import { RequestFields } from '../request-fields.ts';
import type { JsonObject } from '../target.ts';

export interface PostRequest {
  readonly account: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** `distinct` names the approval; the gate puts it into the decision's key, the ledger never sees it. */
const names = ['operation', 'account', 'reference', 'amountMinor', 'currency', 'distinct'];

/** Throws InvalidRequestError, which says what was expected, what came and what to do. */
export function parsePostRequest(request: JsonObject): PostRequest {
  const fields = new RequestFields('Request to post', request, names);
  fields.operation('post', 'This target posts entries only');
  fields.distinct();
  return {
    account: fields.text('account', /^acc_\w+$/, {
      expected: 'an id that begins with acc_',
      todo: 'Pass the account to post to',
    }),
    reference: fields.text('reference', /^ref_\w+$/, {
      expected: 'an id that begins with ref_',
      todo: 'Pass what the entry is for',
    }),
    amountMinor: fields.amountMinor('20.00 euros as 2000'),
    currency: fields.currency('eur'),
  };
}

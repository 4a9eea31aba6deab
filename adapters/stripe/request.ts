/**
 * The refund a gate may ask for. In: the JSON of a request. Out: a checked refund or an
 * InvalidRequestError; "all that is left" is no amount, since it depends on the day it is asked.
 */
import { RequestFields } from '../request-fields.ts';
import type { JsonObject } from '../target.ts';

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
const names = ['operation', 'paymentIntent', 'amountMinor', 'currency', 'reason', 'distinct'];

/** Throws InvalidRequestError, which says what was expected, what came and what to do. */
export function parseRefundRequest(request: JsonObject): RefundRequest {
  const fields = new RequestFields('Refund request', request, names);
  fields.operation('refund', 'This target makes refunds only');
  fields.distinct();
  return {
    paymentIntent: fields.text('paymentIntent', /^pi_\w+$/, {
      expected: 'an id that begins with pi_',
      todo: 'Pass the id of the payment to refund',
    }),
    amountMinor: fields.amountMinor('20.00 dollars as 2000'),
    currency: fields.currency('usd'),
    reason: parseReason(fields),
  };
}

function parseReason(fields: RequestFields): RefundReason | null {
  const value = fields.get('reason');
  if (value === undefined) return null;
  const reason = reasons.find((known) => known === value);
  if (reason !== undefined) return reason;
  throw fields.invalid(
    'reason',
    `one of ${reasons.join(', ')} or no field`,
    'Keep free text in your own records',
  );
}

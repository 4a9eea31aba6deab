/** One page of refunds. In: what the SDK returned. Out: its rows and whether more follow, or an error. */
import type Stripe from 'stripe';

export interface RefundPage {
  readonly rows: readonly Stripe.Refund[];
  readonly hasMore: boolean;
}

/** Checks the shape although the SDK types it: the SDK hands on any JSON object of any status below 400. */
export function readPage(
  list: Stripe.Response<Stripe.ApiList<Stripe.Refund>>,
  payment: string,
): RefundPage {
  const { object, data, has_more: hasMore }: Partial<Stripe.ApiList<Stripe.Refund>> = list;
  const status = list.lastResponse.statusCode;
  if (
    status !== 200 ||
    object !== 'list' ||
    !Array.isArray(data) ||
    typeof hasMore !== 'boolean' ||
    !data.every((row) => isRefundOf(row, payment))
  ) {
    throw new Error(`expected a list of refunds of ${payment}, came status ${status} without one`);
  }
  return { rows: data, hasMore };
}

function isRefundOf(row: unknown, payment: string): boolean {
  if (typeof row !== 'object' || row === null) return false;
  const { object, id, payment_intent: of }: Partial<Stripe.Refund> = row;
  return object === 'refund' && typeof id === 'string' && id !== '' && of === payment;
}

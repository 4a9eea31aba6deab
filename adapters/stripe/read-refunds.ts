/**
 * All refunds of one payment. In: a client and the payment. Out: every refund once, or an error: a
 * list of which any page is missing, broken or somebody else's is no list.
 *
 * A page is asked for behind the last refund of the one before. Stripe lists newest first and never
 * takes a refund off a list, so that what is made meanwhile appears before the first page and moves
 * nothing. Source: docs.stripe.com/api/pagination.
 */
import type Stripe from 'stripe';
import { readPage } from './refund-page.ts';

/** A list that is longer is taken for one that never ends. */
const maxPages = 100;

export interface RefundListing {
  readonly payment: string;
  readonly pageSize: number;
}

/** One request a page. Rejects when the list can't be read to its end. */
export async function readRefunds(
  client: Stripe,
  { payment, pageSize }: RefundListing,
): Promise<readonly Stripe.Refund[]> {
  const refunds = new Map<string, Stripe.Refund>();
  let last: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const list = await client.refunds.list({
      payment_intent: payment,
      limit: pageSize,
      ...(last === undefined ? {} : { starting_after: last }),
    });
    const { rows, hasMore } = readPage(list, payment);
    const next = rows.at(-1)?.id;
    if (hasMore && (next === undefined || refunds.has(next))) {
      throw new Error('the list says more refunds follow, and the page has none to go on from');
    }
    // A refund that comes twice is one refund.
    for (const refund of rows) refunds.set(refund.id, refund);
    if (!hasMore) return [...refunds.values()];
    last = next;
  }
  throw new Error(`the list of refunds did not end within ${maxPages} pages`);
}

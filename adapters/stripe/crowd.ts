/**
 * Refunds that other people make while the subject looks for its own. In: a list request and how
 * crowded its payment is to be. Out: refunds of equal amount and without a stamp, made so that the
 * subject's is on a later page.
 *
 * Lists are newest first, so whatever is to stand before the subject's refund is made after it. A
 * cursor names a refund and not a position: what appears between two pages appears before the cursor,
 * and no refund ever leaves a list, so that an honest pager misses none.
 */
import type { RailFault } from '../rail.ts';
import type { Form } from './form.ts';
import { defaultLimit } from './refund-list.ts';
import type { RefundBook, RefundMaker } from './refunds.ts';

export interface Crowding {
  readonly book: RefundBook;
  readonly query: Form;
  readonly paged: Extract<RailFault, { readonly kind: 'paged' }>;
  readonly by: RefundMaker;
}

export function crowdList({ book, query, paged, by }: Crowding): void {
  const payment = book.findPayment({
    kind: query.has('charge') ? 'charge' : 'payment_intent',
    id: String(query.get('charge') ?? query.get('payment_intent')),
  });
  if (payment === undefined) return;
  const made = book.refunds().filter((refund) => refund.payment === payment);
  const own = made.findLastIndex(({ actor }) => actor === 'subject');
  const amountMinor = (made[own] ?? made[0])?.amountMinor ?? 1;
  const add = () => book.refund(payment, { amountMinor, reason: null, metadata: {} }, by);

  const isFirstPage = !query.has('starting_after') && !query.has('ending_before');
  if (!isFirstPage) {
    if (paged.changes) add();
    return;
  }
  const pageLength = Number(query.get('limit') ?? defaultLimit);
  const wanted = Math.max(paged.lookAlikes, pageLength);
  for (let newer = made.length - 1 - own; newer < wanted; newer += 1) add();
}

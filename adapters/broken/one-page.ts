/** Stands in for `stripe/refund-page.ts`: every page is taken for the last. */
import { type RefundPage, readPage as read } from '../stripe/refund-page.ts';

export * from '../stripe/refund-page.ts';

export function readPage(...page: Parameters<typeof read>): RefundPage {
  return { ...read(...page), hasMore: false };
}

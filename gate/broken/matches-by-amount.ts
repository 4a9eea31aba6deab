/** The reference gate with a look that takes any refund of the amount for the one it made. */
import { runWithOwnLook } from './refund-list.ts';

runWithOwnLook({
  name: 'matches-by-amount',
  pageSize: 100,
  isOurs: (refund, call) => refund.amount === call.request.amountMinor,
});

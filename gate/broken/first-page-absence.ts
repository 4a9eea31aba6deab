/** The reference gate with a look that ends with the first page: what is not on it is not there. */
import { runWithOwnLook } from './refund-list.ts';

runWithOwnLook({
  name: 'first-page-absence',
  pageSize: 3,
  isOurs: (refund, call) => Object.values(refund.metadata).includes(call.key),
});

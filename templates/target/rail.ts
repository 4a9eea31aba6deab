/** The service behind NAME, described: Killpoint makes a stand-in of it, with a journal of its own. */
import { railOf } from 'killpoint/rail-kit';

export const createRail = railOf({
  name: 'NAME',
  credential: {
    header: 'authorization',
    prefix: 'Bearer ',
    field: 'token',
    environment: 'NAME_TOKEN',
  },
  create: { path: '/orders' },
  key: null,
  stamp: 'reference',
  list: null,
  entity: { id: 'id', subject: 'customer', substance: { amount: 'amount' } },
  // What a trial asks for; the same seed must give the same.
  examples: (seed) => {
    const request = { customer: `customer-${seed}`, amount: 2_000 + (seed % 1_000) };
    return {
      request,
      changed: { ...request, amount: request.amount + 1_000 },
      distinct: { ...request, distinct: `approval-${seed}` },
      lookAlike: request,
    };
  },
  entityOf: ({ customer, amount }) => ({ customer: customer ?? null, amount: amount ?? null }),
});

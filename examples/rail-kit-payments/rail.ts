/** The payments service, described: Killpoint makes a stand-in of it. */
import { createHash } from 'node:crypto';
// In a project of your own: from 'killpoint/rail-kit' and 'killpoint/target'.
import { railOf, type ServiceDescription } from '../../adapters/rail-kit/rail-kit.ts';
import type { JsonObject } from '../../adapters/target.ts';

export const payments: ServiceDescription = {
  name: 'payments',
  credential: {
    header: 'authorization',
    prefix: 'Bearer ',
    field: 'token',
    environment: 'PAYMENTS_TOKEN',
  },
  create: { path: '/v1/payments' },
  key: {
    header: 'idempotency-key',
    windowMs: 24 * 60 * 60 * 1000,
    replayedHeader: 'idempotency-replayed',
  },
  stamp: 'metadata.decision',
  list: {
    path: '/v1/payments',
    rows: 'data',
    order: 'newest-first',
    filters: ['order'],
    paging: {
      by: 'cursor',
      query: 'starting_after',
      next: 'last-id',
      size: { query: 'limit', usual: 10, most: 100 },
      more: 'has_more',
    },
  },
  get: { path: '/v1/payments/{id}' },
  undo: {
    method: 'POST',
    path: '/v1/payments/{id}/cancel',
    marks: { field: 'status', value: 'cancelled' },
  },
  entity: {
    id: 'id',
    subject: 'order',
    substance: { amountMinor: 'amount', currency: 'currency' },
  },
  examples: (seed) => {
    const digest = createHash('sha256').update(`payments ${seed}`).digest();
    const request: JsonObject = {
      operation: 'pay',
      order: `ord_${digest.toString('hex', 0, 6)}`,
      amountMinor: 2_000 + digest.readUInt16BE(8),
      currency: 'eur',
    };
    return {
      request,
      changed: { ...request, amountMinor: Number(request.amountMinor) + 1_000 },
      distinct: { ...request, distinct: `approval-${digest.toString('hex', 10, 16)}` },
      lookAlike: request,
      capped: { field: 'amountMinor', within: { currency: 'eur' } },
    };
  },
  entityOf: ({ order = null, amountMinor = null, currency = null }) => ({
    order,
    amount: amountMinor,
    currency,
  }),
};

export const createRail = railOf(payments);

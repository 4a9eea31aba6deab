/** The ticket service, described: it knows no keys, and its lists lag behind. */
import { createHash } from 'node:crypto';
// In a project of your own: from 'killpoint/rail-kit' and 'killpoint/target'.
import { railOf, type ServiceDescription } from '../../adapters/rail-kit/rail-kit.ts';
import type { JsonObject } from '../../adapters/target.ts';

export const tickets: ServiceDescription = {
  name: 'tickets',
  credential: { header: 'x-api-key', field: 'apiKey', environment: 'TICKETS_API_KEY' },
  create: { path: '/customers/{customer}/tickets' },
  key: null,
  stamp: 'external_id',
  list: {
    path: '/customers/{customer}/tickets',
    rows: '',
    order: 'oldest-first',
    // A page that is not full is the last: nothing else says so.
    paging: { by: 'page', query: 'page', size: { query: 'per_page', usual: 30, most: 100 } },
    lagMs: 40,
  },
  entity: {
    id: 'number',
    subject: 'customer',
    substance: { title: 'title', severity: 'severity' },
  },
  examples: (seed) => {
    const digest = createHash('sha256').update(`tickets ${seed}`).digest();
    const request: JsonObject = {
      operation: 'open',
      customer: `cus_${digest.toString('hex', 0, 6)}`,
      title: 'The pump has stopped',
      severity: 1 + (digest.readUInt8(6) % 3),
    };
    return {
      request,
      changed: { ...request, severity: Number(request.severity) + 1 },
      distinct: { ...request, distinct: `approval-${digest.toString('hex', 8, 14)}` },
      lookAlike: request,
    };
  },
  entityOf: ({ customer = null, title = null, severity = null }) => ({ customer, title, severity }),
};

export const createRail = railOf(tickets);

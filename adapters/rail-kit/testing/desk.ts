/**
 * What the tests of the kit talk to: a described service, over real sockets, with a plain HTTP client.
 * Everything opened is closed when the test that opened it ends.
 */
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../target.ts';
import { type KitNamespace, type KitRail, railOf, type ServiceDescription } from '../rail-kit.ts';

/** Orders that can be paid, with all that a description can hold. */
export const payments: ServiceDescription = {
  name: 'payments',
  credential: { header: 'authorization', prefix: 'Bearer ', field: 'token', environment: 'TOKEN' },
  create: { path: '/orders/{order}/payments' },
  key: { header: 'Idempotency-Key', windowMs: 60_000, replayedHeader: 'idempotency-replayed' },
  stamp: 'metadata.decision',
  list: {
    path: '/orders/{order}/payments',
    rows: 'data',
    order: 'newest-first',
    filters: ['currency'],
    paging: {
      by: 'cursor',
      query: 'after',
      next: 'last-id',
      size: { query: 'limit', usual: 2, most: 3 },
      more: 'has_more',
    },
    lagMs: 500,
  },
  get: { path: '/payments/{id}' },
  undo: {
    method: 'POST',
    path: '/payments/{id}/cancel',
    marks: { field: 'status', value: 'cancelled' },
  },
  entity: {
    id: 'id',
    subject: 'order',
    substance: { amountMinor: 'amount', currency: 'currency' },
  },
  examples: (seed) => {
    const request: JsonObject = { order: `o${seed}`, amountMinor: 2_000, currency: 'eur' };
    return {
      request,
      changed: { ...request, amountMinor: 3_000 },
      distinct: { ...request, distinct: 'approval-1' },
      lookAlike: request,
    };
  },
  entityOf: ({ order = null, amountMinor = null, currency = null }) => ({
    order,
    amount: amountMinor,
    currency,
  }),
};

export async function openAccount(
  description: ServiceDescription = payments,
): Promise<KitNamespace> {
  const rail = (await railOf(description)({ options: {} })) as KitRail;
  onTestFinished(() => rail.close());
  return rail.openNamespace('test');
}

export interface Heard {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers;
}

export interface Said {
  readonly method?: string;
  readonly key?: string;
  readonly body?: JsonObject | string;
  readonly as?: 'subject' | 'person' | 'nobody';
  readonly signal?: AbortSignal;
}

/** Asks as the subject, unless it says otherwise. */
export async function ask(
  { endpoint, credentials, personCredentials }: KitNamespace,
  path: string,
  { method = 'GET', key, body, as = 'subject', signal }: Said = {},
): Promise<Heard> {
  const { token } = as === 'person' ? personCredentials : credentials;
  const response = await fetch(`http://${endpoint.host}:${endpoint.port}${path}`, {
    method,
    headers: {
      ...(as !== 'nobody' && { authorization: `Bearer ${String(token)}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const heard = (await response.json()) as JsonObject;
  return { status: response.status, body: heard, headers: response.headers };
}

export const place = '/orders/o1/payments';
export const paid = { amount: 2_000, currency: 'eur', metadata: { decision: 'k' } };

export function pay(account: KitNamespace, said: Said = {}): Promise<Heard> {
  return ask(account, place, { method: 'POST', body: paid, ...said });
}

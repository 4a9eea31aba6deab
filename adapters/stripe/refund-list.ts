/**
 * The list of refunds. In: an account's refunds and a query. Out: one page, newest first, or why
 * the query is refused. Source: docs.stripe.com/api/refunds/list and /api/pagination.
 */
import type { RailFault } from '../rail.ts';
import {
  type Answer,
  answerBadRequest,
  answerNoSuch,
  answerNotAuthorized,
  answerObject,
  answerRateLimit,
  answerServerError,
  answerUnknownParameter,
} from './answer.ts';
import type { Form, FormValue } from './form.ts';
import { type Refund, renderRefund } from './refunds.ts';

type LookupError = Extract<RailFault, { readonly kind: 'lookup-error' }>;

const listFields = [
  'limit',
  'starting_after',
  'ending_before',
  'payment_intent',
  'charge',
  'created',
];
export const defaultLimit = 10;
const maxLimit = 100;

export function answerRefundList(refunds: readonly Refund[], query: Form): Answer {
  const stranger = [...query.keys()].find((name) => !listFields.includes(name));
  if (stranger !== undefined) return answerUnknownParameter(stranger);
  const limit = readLimit(query.get('limit'));
  if (limit === null) {
    return answerBadRequest({
      code: 'parameter_invalid_integer',
      param: 'limit',
      message: `Invalid limit: must be an integer from 1 to ${maxLimit}`,
    });
  }
  const isWanted = readFilter(query);
  if (isWanted === null) return answerBadRequest({ message: 'Invalid filter' });
  const newestFirst = refunds.filter(isWanted).reverse();
  const after = query.get('starting_after');
  const before = query.get('ending_before');
  if (after !== undefined && before !== undefined) {
    return answerBadRequest({
      message: 'You can pass only one of starting_after and ending_before.',
    });
  }
  const param = before === undefined ? 'starting_after' : 'ending_before';
  const cursor = after ?? before;
  if (cursor === undefined) return answerPage(newestFirst, 0, limit);
  const at = newestFirst.findIndex(({ id }) => id === cursor);
  if (at === -1) return answerNoSuch('refund', String(cursor), param, 400);
  if (before === undefined) return answerPage(newestFirst, at + 1, limit);
  const start = Math.max(0, at - limit);
  return answerSlice(newestFirst.slice(start, at), start > 0);
}

/** A list that fails, in one of the ways Stripe or something before it fails. */
export function answerLookupError(how: LookupError['how'], apiKey: string): Answer {
  switch (how) {
    case 401:
      return answerNotAuthorized(apiKey);
    case 429:
      return answerRateLimit();
    case 500:
      return answerServerError();
    case 'empty-claims-more':
      return answerSlice([], true);
    default:
      return how satisfies never;
  }
}

function answerPage(newestFirst: readonly Refund[], start: number, limit: number): Answer {
  const end = start + limit;
  return answerSlice(newestFirst.slice(start, end), end < newestFirst.length);
}

function answerSlice(refunds: readonly Refund[], hasMore: boolean): Answer {
  return answerObject({
    object: 'list',
    url: '/v1/refunds',
    has_more: hasMore,
    data: refunds.map(renderRefund),
  });
}

function readLimit(value: FormValue | undefined): number | null {
  if (value === undefined) return defaultLimit;
  if (typeof value !== 'string' || !/^\d{1,3}$/.test(value)) return null;
  const limit = Number(value);
  return limit >= 1 && limit <= maxLimit ? limit : null;
}

/** Null when a filter can't be read. */
function readFilter(query: Form): ((refund: Refund) => boolean) | null {
  const payment = query.get('payment_intent');
  const charge = query.get('charge');
  if (typeof payment === 'object' || typeof charge === 'object') return null;
  const isCreated = readCreated(query.get('created'));
  if (isCreated === null) return null;
  return (refund) =>
    (payment === undefined || refund.payment.id === payment) &&
    (charge === undefined || refund.payment.chargeId === charge) &&
    isCreated(Math.floor(refund.createdMs / 1000));
}

function readCreated(value: FormValue | undefined): ((createdS: number) => boolean) | null {
  if (value === undefined) return () => true;
  if (typeof value === 'string') {
    return isSeconds(value) ? (createdS) => createdS === Number(value) : null;
  }
  const tests: ((createdS: number) => boolean)[] = [];
  for (const [relation, text] of value) {
    const test = isSeconds(text) ? compareCreated(relation, Number(text)) : null;
    if (test === null) return null;
    tests.push(test);
  }
  return (createdS) => tests.every((test) => test(createdS));
}

function isSeconds(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}

function compareCreated(relation: string, boundS: number): ((createdS: number) => boolean) | null {
  switch (relation) {
    case 'gt':
      return (createdS) => createdS > boundS;
    case 'gte':
      return (createdS) => createdS >= boundS;
    case 'lt':
      return (createdS) => createdS < boundS;
    case 'lte':
      return (createdS) => createdS <= boundS;
    default:
      return null;
  }
}

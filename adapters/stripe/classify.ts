/**
 * What an answer proves. In: what the SDK returned or threw. Out: landed, refused or unknown.
 *
 * "Refused" needs Stripe's own voice: a documented status *and* an error body of Stripe's shape. The
 * same status from something in between (a gateway's 403, a captive portal) says nothing of what
 * happened behind it. Sources: docs.stripe.com/api/errors, /api/idempotent_requests,
 * /error-low-level; stripe-node 23 Error.js.
 */
import Stripe from 'stripe';
import { NoAnswerError } from '../single-send.ts';
import type { ApplyResult } from '../target.ts';
import { stampOf } from './stamp.ts';

const stripeErrorTypes: readonly string[] = [
  'api_error',
  'authentication_error',
  'card_error',
  'idempotency_error',
  'invalid_request_error',
  'rate_limit_error',
];

/** Checks the answer's shape although the SDK types it: the SDK hands on any JSON object of any status. */
export function classifyRefund(answer: Stripe.Response<Stripe.Refund>): ApplyResult {
  const { id, object }: Partial<Stripe.Refund> = answer;
  const status = answer.lastResponse.statusCode;
  if (status === 200 && object === 'refund' && typeof id === 'string' && id !== '') {
    return { kind: 'landed', entityId: id, stamp: stampOf(answer) };
  }
  return classifyUnreadable(status, `expected a refund, came status ${status} without one`);
}

export function classifyError(error: unknown): ApplyResult {
  const noAnswer = findNoAnswer(error);
  if (noAnswer !== null) return classifyNoAnswer(noAnswer);
  if (!(error instanceof Stripe.errors.StripeError) || error.statusCode === undefined) {
    return unknown('unreadable', `the SDK could not read the answer: ${String(error)}`);
  }
  const said = describe(error);
  if (error.rawType === undefined || !stripeErrorTypes.includes(error.rawType)) {
    return classifyUnreadable(error.statusCode, `not an error of Stripe's shape: ${said}`);
  }
  switch (error.statusCode) {
    case 401:
    case 403:
    case 429:
      return { kind: 'refused', reason: said, mendable: true };
    case 400:
      return classifyBadRequest(error, said);
    case 402:
    case 404:
      return { kind: 'refused', reason: said, mendable: false };
    case 409:
      return isInFlight(error) ? unknown('in-flight', said) : unknown('server-error', said);
    default:
      return error.headers?.['idempotent-replayed'] === 'true'
        ? unknown('stored-error', said)
        : unknown('server-error', said);
  }
}

/** What became of a reading call, in words: the SDK's own say only that there was an error. */
export function describeError(error: unknown): string {
  const noAnswer = findNoAnswer(error);
  if (noAnswer !== null) return noAnswer.message;
  return error instanceof Stripe.errors.StripeError ? describe(error) : String(error);
}

/** Never sent, hence provably without effect. */
export function refusedUnsent(reason: string): ApplyResult {
  return { kind: 'refused', reason: `Nothing was sent: ${reason}`, mendable: false };
}

function classifyBadRequest(error: Stripe.errors.StripeError, said: string): ApplyResult {
  if (error.rawType === 'idempotency_error') {
    const reason = `The key was first used with other parameters; this request did nothing, the first may have. ${said}`;
    return { kind: 'refused', reason, mendable: false };
  }
  return { kind: 'refused', reason: said, mendable: error.code === 'rate_limit' };
}

function classifyNoAnswer({ kind, message, status }: NoAnswerError): ApplyResult {
  switch (kind) {
    case 'connection':
    case 'timeout':
      return unknown(kind, message);
    case 'unreadable':
      return classifyUnreadable(status, message);
    default:
      return kind satisfies never;
  }
}

/** A 5xx is the server's failure, whatever page came with it. */
function classifyUnreadable(status: number | null, detail: string): ApplyResult {
  return unknown(status !== null && status >= 500 ? 'server-error' : 'unreadable', detail);
}

/** The SDK raises 409 as a plain StripeAPIError, and reports disagree on its type: the code decides, or the type. */
function isInFlight({ code, rawType }: Stripe.errors.StripeError): boolean {
  return code === 'idempotency_key_in_use' || rawType === 'idempotency_error';
}

/** A failed send arrives as `detail`, a failed read of the body inside `raw`. */
function findNoAnswer(error: unknown): NoAnswerError | null {
  if (!(error instanceof Stripe.errors.StripeError)) return null;
  if (error.detail instanceof NoAnswerError) return error.detail;
  const { raw } = error;
  const isWrapped = typeof raw === 'object' && raw !== null && 'exception' in raw;
  return isWrapped && raw.exception instanceof NoAnswerError ? raw.exception : null;
}

type UnknownResult = Extract<ApplyResult, { kind: 'unknown' }>;

function unknown(cause: UnknownResult['cause'], detail: string): ApplyResult {
  return { kind: 'unknown', cause, detail };
}

function describe({ statusCode, rawType, code, requestId, message }: Stripe.errors.StripeError) {
  const name = [statusCode, rawType, code].filter((part) => part !== undefined).join(' ');
  return `${name}: ${message}${requestId === undefined ? '' : ` (${requestId})`}`;
}

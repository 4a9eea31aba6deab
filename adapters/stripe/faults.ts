/**
 * What Stripe itself can do wrong; whatever a wire can do is left to the wire. Beyond what any rail
 * may do there are two refusals in Stripe's own words.
 */
import { meetingsOf } from '../armed-faults.ts';
import type { RailFault } from '../rail.ts';
import {
  type Answer,
  answerForbidden,
  answerLockTimeout,
  answerNotAuthorized,
  answerRateLimit,
} from './answer.ts';

type StripeRefusal =
  | { readonly kind: 'forbidden' }
  /** Another request holds the charge. */
  | { readonly kind: 'lock-timeout' };

export type StripeFault = RailFault | StripeRefusal;

export function isStripeRefusal(fault: StripeFault): fault is StripeRefusal {
  return fault.kind === 'forbidden' || fault.kind === 'lock-timeout';
}

export function stripeMeetingsOf(fault: StripeFault): number {
  return isStripeRefusal(fault) ? 1 : meetingsOf(fault);
}

/** A rail offers only what its accounts could do: without keys nothing is in flight, without a lag nothing is stale. */
export function stripeFaultsOf({
  ignoreKeys,
  lagMs,
}: {
  readonly ignoreKeys: boolean;
  readonly lagMs: number;
}): readonly RailFault['kind'][] {
  return [
    'stored-error',
    ...(ignoreKeys ? [] : (['in-flight-conflict'] as const)),
    'refused',
    'lookup-error',
    ...(lagMs === 0 ? [] : (['stale-read'] as const)),
    'paged',
  ];
}

export function answerRefusal(
  fault: StripeRefusal | Extract<RailFault, { readonly kind: 'refused' }>,
  apiKey: string,
): Answer {
  switch (fault.kind) {
    case 'refused':
      return fault.status === 401 ? answerNotAuthorized(apiKey) : answerRateLimit();
    case 'forbidden':
      return answerForbidden(apiKey);
    case 'lock-timeout':
      return answerLockTimeout();
    default:
      return fault satisfies never;
  }
}

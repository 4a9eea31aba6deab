/**
 * What Stripe itself can do wrong; whatever a wire can do is left to the wire. Beyond what any rail
 * may do there are two refusals in Stripe's own words.
 */
import { meetingsOf } from '../armed-faults.ts';
import type { RailFault } from '../rail.ts';

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

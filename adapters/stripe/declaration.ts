/** What Stripe can do for a caller that has lost its memory, by the variant that is relied on. */
import type { TargetDeclaration } from '../target.ts';
import type { Options, Variant } from './configuration.ts';

/** Stripe may forget a key once it is this old; from then on it makes a new refund. Source: docs.stripe.com/api/idempotent_requests. */
const keyWindowMs = 24 * 60 * 60 * 1000;
/** A refund that failed or was cancelled stays in the list. */
const seesDeletions = true;

export function declare({ variant, clientTimeoutMs }: Options): TargetDeclaration {
  return {
    ...promises(variant),
    onceByState: false,
    guardsPremises: false,
    // A stored 500 is indeterminate: Stripe may still roll it forward (docs.stripe.com/error-low-level).
    storedErrorFinal: false,
    noReturnMark: false,
    premises: ['value-equals', 'version-unchanged'],
    clientTimeoutMs,
  };
}

/** The target sends the key in every variant; what differs is what anybody may rely on. */
function promises(variant: Variant): Pick<TargetDeclaration, 'dedupe' | 'lookup' | 'absence'> {
  switch (variant.name) {
    case 'keyed':
      return { dedupe: { windowMs: keyWindowMs }, lookup: null, absence: 'never' };
    case 'blind':
      return { dedupe: null, lookup: null, absence: 'never' };
    case 'lookup': {
      const { lagMs, landingBoundMs } = variant;
      return { dedupe: null, lookup: { lagMs, seesDeletions }, absence: { landingBoundMs } };
    }
    case 'unbounded':
      return {
        dedupe: null,
        lookup: { lagMs: variant.lagMs, seesDeletions },
        absence: 'never',
      };
    default:
      return variant satisfies never;
  }
}

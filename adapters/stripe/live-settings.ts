/**
 * Which Stripe a live rail talks to, and with which key. In: environment variables. Out: both, or why
 * nothing can be run (no key is given), or why nothing may be (a key that is no test key, settings
 * that can't be meant). Nothing here touches the network, and no text holds any of a key.
 */
import { readSecureUrl, withAuthority } from '../live-address.ts';
import type { RailConfig } from '../rail.ts';
import type { Endpoint } from '../target.ts';

/** The name Stripe's own command line reads its key from. */
export const keyVariable = 'STRIPE_API_KEY';
export const urlVariable = 'KILLPOINT_STRIPE_URL';
export const caVariable = 'KILLPOINT_STRIPE_CA';

export type LiveSettings =
  | { readonly kind: 'ready'; readonly apiKey: string; readonly endpoint: Endpoint }
  | { readonly kind: 'unavailable' | 'refused'; readonly why: string };

export const stripeEndpoint: Endpoint = { protocol: 'https', host: 'api.stripe.com', port: 443 };

export function readLiveSettings(environment: RailConfig['environment'] = {}): LiveSettings {
  const apiKey = environment[keyVariable];
  if (apiKey === undefined || apiKey === '') {
    return {
      kind: 'unavailable',
      why: `Stripe's test mode needs a key: set ${keyVariable} to one of a sandbox or of test mode (sk_test_… or rk_test_…)`,
    };
  }
  const wrongKey = whyNotTestKey(apiKey);
  if (wrongKey !== null) return refused(wrongKey);
  const url = environment[urlVariable];
  const address = url ? readSecureUrl(url, urlVariable) : stripeEndpoint;
  if (typeof address === 'string') return refused(address);
  const endpoint = withAuthority(address, environment[caVariable], caVariable);
  return typeof endpoint === 'string' ? refused(endpoint) : { kind: 'ready', apiKey, endpoint };
}

/** Whatever is not plainly a test key may move money. Only a key's kind is ever named. */
function whyNotTestKey(apiKey: string): string | null {
  if (/^(sk|rk)_test_[A-Za-z0-9_]+$/.test(apiKey)) return null;
  const expected = `expected a test key (sk_test_… or rk_test_…) in ${keyVariable}`;
  const nothing = 'nothing was sent';
  const [kind = null] = /^[a-z]+_live_/.exec(apiKey) ?? [];
  if (kind !== null && ['sk_live_', 'rk_live_', 'pk_live_'].includes(kind)) {
    return `${expected}, came a live one (${kind}…); live keys are never used, ${nothing}`;
  }
  return apiKey.startsWith('pk_test_')
    ? `${expected}, came a publishable one (pk_test_…), which can't refund; ${nothing}`
    : `${expected}, came something else; ${nothing}`;
}

function refused(why: string): LiveSettings {
  return { kind: 'refused', why };
}

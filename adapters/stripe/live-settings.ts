/**
 * Which Stripe a live rail talks to, and with which key. In: environment variables. Out: both, or why
 * nothing can be run (no key is given), or why nothing may be (a key that is no test key, settings
 * that can't be meant). Nothing here touches the network, and no text holds any of a key.
 */
import { readFileSync } from 'node:fs';
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
  const endpoint = url ? readUrl(url) : stripeEndpoint;
  if (typeof endpoint === 'string') return refused(endpoint);
  const caPath = environment[caVariable];
  if (!caPath) return { kind: 'ready', apiKey, endpoint };
  const caPem = readAuthority(caPath);
  return caPem === null
    ? refused(
        `${caVariable} must name a file with a certificate authority in PEM; ${caPath} is none`,
      )
    : { kind: 'ready', apiKey, endpoint: { ...endpoint, caPem } };
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

/** The endpoint, or what is wrong with the address. Without TLS the key could be read on the way. */
function readUrl(text: string): Endpoint | string {
  const expected = `${urlVariable} must be https://HOST or https://HOST:PORT and nothing more`;
  if (!URL.canParse(text)) return `${expected}; came something that is no address`;
  const { protocol, hostname, port, pathname, search, hash, username, password } = new URL(text);
  const more = [search, hash, username, password].join('') !== '' || pathname !== '/';
  if (protocol !== 'https:' || more) {
    return `${expected}; came ${protocol}//${hostname}${more ? ' with more to it' : ''}`;
  }
  // An IPv6 address stands in brackets in an address alone.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { protocol: 'https', host, port: port === '' ? 443 : Number(port) };
}

function readAuthority(path: string): string | null {
  try {
    const pem = readFileSync(path, 'utf8');
    return pem.includes('-----BEGIN CERTIFICATE-----') ? pem : null;
  } catch {
    // What is wrong with the file is the same to whoever set the variable.
    return null;
  }
}

function refused(why: string): LiveSettings {
  return { kind: 'refused', why };
}

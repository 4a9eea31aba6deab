/**
 * How a Stripe target is configured. In: endpoint, credentials and options as they were written.
 * Out: checked ones, or an error that says what was expected, what came and what to do. No message
 * holds the key.
 */
import type { Endpoint, JsonObject } from '../target.ts';
import { settingsOf } from '../target-settings.ts';

const { readCount, readSwitch, refuseUnknown, requireHttp } = settingsOf('Stripe target');

const defaultClientTimeoutMs = 80_000;
/** The list is meant for reading one's own writes (docs.stripe.com/search says so of it); the rest is margin. */
const defaultLagMs = 5_000;
/** Stripe publishes no bound. This is the SDK's own patience of 80 s and half as much again. */
const defaultLandingBoundMs = 120_000;
/** The most Stripe gives at a time, so that few requests are needed. */
const maxPageSize = 100;

const variants = ['keyed', 'blind', 'lookup', 'unbounded'] as const;
type VariantName = (typeof variants)[number];

/** What of a gate's knowledge a variant lets it rely on; see the README. */
export type Variant =
  | { readonly name: 'keyed' | 'blind' }
  | { readonly name: 'lookup'; readonly lagMs: number; readonly landingBoundMs: number }
  | { readonly name: 'unbounded'; readonly lagMs: number };

export interface Options {
  readonly variant: Variant;
  readonly clientTimeoutMs: number;
  readonly pageSize: number;
  readonly allowLive: boolean;
}

/** Options that every variant takes, and those of one alone. */
const commonOptions = ['variant', 'clientTimeoutMs', 'pageSize', 'allowLive'];
const ownOptions: Readonly<Record<VariantName, readonly string[]>> = {
  keyed: [],
  blind: [],
  lookup: ['lagMs', 'landingBoundMs'],
  unbounded: ['lagMs'],
};

export function parseOptions(options: JsonObject): Options {
  const name = variants.find((known) => known === options.variant);
  if (name === undefined) {
    throw new Error(
      `Stripe target: variant must be one of ${variants.join(', ')}; came ${JSON.stringify(options.variant)}. Choose 'keyed' for Stripe itself.`,
    );
  }
  refuseUnknown(`options of ${name}`, options, [...commonOptions, ...ownOptions[name]]);
  return {
    variant: parseVariant(name, options),
    clientTimeoutMs: readCount(options, {
      name: 'clientTimeoutMs',
      unless: defaultClientTimeoutMs,
      least: 1,
    }),
    pageSize: readCount(options, {
      name: 'pageSize',
      unless: maxPageSize,
      least: 1,
      most: maxPageSize,
    }),
    allowLive: readSwitch(options, 'allowLive', false),
  };
}

function parseVariant(name: VariantName, options: JsonObject): Variant {
  const lagMs = () => readCount(options, { name: 'lagMs', unless: defaultLagMs, least: 0 });
  switch (name) {
    case 'keyed':
    case 'blind':
      return { name };
    case 'lookup': {
      const landingBoundMs = readCount(options, {
        name: 'landingBoundMs',
        unless: defaultLandingBoundMs,
        least: 0,
      });
      return { name, lagMs: lagMs(), landingBoundMs };
    }
    case 'unbounded':
      return { name, lagMs: lagMs() };
    default:
      return name satisfies never;
  }
}

export interface Credentials {
  readonly apiKey: string;
  readonly account: string;
}

/** Messages name fields, never values: one of them is the key. */
export function parseCredentials(credentials: JsonObject, { allowLive }: Options): Credentials {
  refuseUnknown('credentials', credentials, ['apiKey', 'account']);
  // Without a name all accounts are one; payment ids are unique across Stripe, so none collide.
  const { apiKey, account = 'default' } = credentials;
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new Error(
      'Stripe target: credentials.apiKey must be a secret or restricted key; came nothing or no text. Pass one as a string.',
    );
  }
  if (typeof account !== 'string' || account === '' || account.includes(apiKey)) {
    throw new Error(
      "Stripe target: credentials.account must be the account's id; came something that is no text, empty, or contains the key. Pass acct_… or leave it out.",
    );
  }
  // Whatever is not plainly a test key may move money, organisation keys included.
  if (!allowLive && !/^(sk|rk)_test_/.test(apiKey)) {
    throw new Error(
      'Stripe target: expected a test key (sk_test_… or rk_test_…), came one that may be live. Use a test key, or pass the option allowLive: true in production.',
    );
  }
  return { apiKey, account };
}

export function parseEndpoint(endpoint: Endpoint): {
  protocol: 'http' | 'https';
  host: string;
  port: number;
} {
  const { host, port } = endpoint;
  return { protocol: requireHttp(endpoint, 'Stripe speaks HTTP only.'), host, port };
}

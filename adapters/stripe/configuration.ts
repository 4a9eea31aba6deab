/**
 * How a Stripe target is configured. In: endpoint, credentials and options as they were written.
 * Out: checked ones, or an error that says what was expected, what came and what to do. No message
 * holds the key.
 */
import type { Endpoint, JsonObject } from '../target.ts';

const defaultClientTimeoutMs = 80_000;

const variants = ['keyed', 'blind'] as const;
export type Variant = (typeof variants)[number];

export interface Options {
  readonly variant: Variant;
  readonly clientTimeoutMs: number;
  readonly allowLive: boolean;
}

export function parseOptions(options: JsonObject): Options {
  refuseUnknown('options', options, ['variant', 'clientTimeoutMs', 'allowLive']);
  const variant = variants.find((known) => known === options.variant);
  if (variant === undefined) {
    throw new Error(
      `Stripe target: variant must be one of ${variants.join(', ')}; came ${JSON.stringify(options.variant)}. Choose 'keyed' for Stripe itself.`,
    );
  }
  const clientTimeoutMs = options.clientTimeoutMs ?? defaultClientTimeoutMs;
  // setTimeout takes 31 bits and fires at once beyond them.
  if (
    typeof clientTimeoutMs !== 'number' ||
    !Number.isInteger(clientTimeoutMs) ||
    clientTimeoutMs <= 0 ||
    clientTimeoutMs > 0x7fffffff
  ) {
    throw new Error(
      `Stripe target: clientTimeoutMs must be a positive integer of at most 31 bits; came ${JSON.stringify(clientTimeoutMs)}. Leave it out for ${defaultClientTimeoutMs}.`,
    );
  }
  const allowLive = options.allowLive ?? false;
  if (typeof allowLive !== 'boolean') {
    throw new Error(
      `Stripe target: allowLive must be true or false; came ${JSON.stringify(allowLive)}. Leave it out to refuse live keys.`,
    );
  }
  return { variant, clientTimeoutMs, allowLive };
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

export function parseEndpoint({ protocol, host, port, caPem }: Endpoint): {
  protocol: 'http' | 'https';
  host: string;
  port: number;
} {
  if (protocol === 'tcp') {
    throw new Error(
      'Stripe target: endpoint.protocol must be http or https; came tcp. Stripe speaks HTTP only.',
    );
  }
  if (protocol === 'http' && caPem !== undefined) {
    throw new Error(
      'Stripe target: endpoint.caPem goes with https; came protocol http. Use https or leave caPem out.',
    );
  }
  return { protocol, host, port };
}

function refuseUnknown(what: string, given: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((field) => !known.includes(field));
  if (unknown.length === 0) return;
  throw new Error(
    `Stripe target: ${what} may hold ${known.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
  );
}

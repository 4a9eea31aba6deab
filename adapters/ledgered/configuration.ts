/**
 * How a ledger target is configured. In: endpoint, credentials and options as they were written. Out:
 * checked ones, or an error that says what was expected, what came and what to do. No message holds
 * the token.
 */
import type { Endpoint, JsonObject } from '../target.ts';

const defaultClientTimeoutMs = 30_000;
const defaultLagMs = 1_000;
/** setTimeout takes 31 bits and fires at once beyond them. */
const longestTimerMs = 0x7fffffff;

const variants = ['fence', 'marked'] as const;

/** What of a gate's knowledge a variant lets it rely on; see the README. */
export type Variant =
  | { readonly name: 'fence'; readonly lagMs: number }
  | { readonly name: 'marked' };

export interface Options {
  readonly variant: Variant;
  readonly clientTimeoutMs: number;
}

export function parseOptions(options: JsonObject): Options {
  const { variant, clientTimeoutMs, lagMs, ...unknown } = options;
  refuse('options', Object.keys(unknown), ['variant', 'clientTimeoutMs', 'lagMs']);
  const name = variants.find((known) => known === variant);
  if (name === undefined) {
    throw new Error(
      `Ledger target: variant must be one of ${variants.join(', ')}; came ${JSON.stringify(variant)}. Choose 'fence' where the service has fences.`,
    );
  }
  const timeout = readCount('clientTimeoutMs', clientTimeoutMs ?? defaultClientTimeoutMs, 1);
  switch (name) {
    case 'fence': {
      const lag = readCount('lagMs', lagMs ?? defaultLagMs, 0);
      return { variant: { name, lagMs: lag }, clientTimeoutMs: timeout };
    }
    case 'marked':
      refuse('options of marked', lagMs === undefined ? [] : ['lagMs'], [
        'variant',
        'clientTimeoutMs',
      ]);
      return { variant: { name }, clientTimeoutMs: timeout };
    default:
      return name satisfies never;
  }
}

export interface Credentials {
  readonly token: string;
  /** Which ledger of the service; part of a decision's identity. */
  readonly ledger: string;
}

/** Messages name fields, never values: one of them is the token. */
export function parseCredentials(credentials: JsonObject): Credentials {
  const { token, ledger = 'default', ...unknown } = credentials;
  refuse('credentials', Object.keys(unknown), ['token', 'ledger']);
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(
      'Ledger target: credentials.token must be printable ASCII without spaces; came something else. Pass the token as a string.',
    );
  }
  if (typeof ledger !== 'string' || ledger === '' || ledger.includes(token)) {
    throw new Error(
      "Ledger target: credentials.ledger must be the ledger's id; came something that is no text, empty, or contains the token. Pass led_… or leave it out.",
    );
  }
  return { token, ledger };
}

export function requireHttp({ protocol, caPem }: Endpoint): void {
  if (protocol !== 'http' && protocol !== 'https') {
    throw new Error(
      `Ledger target: endpoint.protocol must be http or https; came ${protocol}. The ledger speaks HTTP only.`,
    );
  }
  if (protocol === 'http' && caPem !== undefined) {
    throw new Error(
      'Ledger target: endpoint.caPem goes with https; came protocol http. Use https or leave caPem out.',
    );
  }
}

function readCount(name: string, value: unknown, least: number): number {
  if (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= least &&
    value <= longestTimerMs
  ) {
    return value;
  }
  throw new Error(
    `Ledger target: ${name} must be an integer from ${least} to ${longestTimerMs}; came ${JSON.stringify(value)}. Leave it out for the default.`,
  );
}

function refuse(what: string, unknown: readonly string[], known: readonly string[]): void {
  if (unknown.length === 0) return;
  throw new Error(
    `Ledger target: ${what} may hold ${known.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
  );
}

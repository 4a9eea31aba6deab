/**
 * How a ledger target is configured. In: endpoint, credentials and options as they were written. Out:
 * checked ones, or an error that says what was expected, what came and what to do. No message holds
 * the token.
 */
import type { Endpoint, JsonObject } from '../target.ts';
import { type CountSetting, settingsOf } from '../target-settings.ts';

const settings = settingsOf('Ledger target');

const defaultClientTimeoutMs = 30_000;
const defaultLagMs = 1_000;

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
  settings.refuseUnknown('options', options, ['variant', 'clientTimeoutMs', 'lagMs']);
  const name = variants.find((known) => known === options.variant);
  if (name === undefined) {
    throw new Error(
      `Ledger target: variant must be one of ${variants.join(', ')}; came ${JSON.stringify(options.variant)}. Choose 'fence' where the service has fences.`,
    );
  }
  const count = (setting: CountSetting) => settings.readCount(options, setting);
  const clientTimeoutMs = count({
    name: 'clientTimeoutMs',
    unless: defaultClientTimeoutMs,
    least: 1,
  });
  switch (name) {
    case 'fence': {
      const lagMs = count({ name: 'lagMs', unless: defaultLagMs, least: 0 });
      return { variant: { name, lagMs }, clientTimeoutMs };
    }
    case 'marked':
      settings.refuseUnknown('options of marked', options, ['variant', 'clientTimeoutMs']);
      return { variant: { name }, clientTimeoutMs };
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
  settings.refuseUnknown('credentials', credentials, ['token', 'ledger']);
  const { token, ledger = 'default' } = credentials;
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

export function requireHttp(endpoint: Endpoint): void {
  settings.requireHttp(endpoint, 'The ledger speaks HTTP only.');
}

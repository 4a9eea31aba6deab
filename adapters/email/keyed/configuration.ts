/**
 * How a keyed mail target is configured. In: endpoint, credentials and options as they were written. Out:
 * checked ones, or an error that says what was expected, what came and what to do. No message holds the
 * API key.
 */
import type { Endpoint, JsonObject } from '../../target.ts';
import { settingsOf } from '../../target-settings.ts';

const settings = settingsOf('Mail target');

const defaultClientTimeoutMs = 30_000;
/** How long one call may take: sending, and reading back what was sent. */
export function parseClientTimeout(options: JsonObject): number {
  settings.refuseUnknown('options', options, ['clientTimeoutMs']);
  return settings.readCount(options, {
    name: 'clientTimeoutMs',
    unless: defaultClientTimeoutMs,
    least: 1,
  });
}

export interface Credentials {
  readonly apiKey: string;
  /** The team the key belongs to, by a name of the caller's own; part of a decision's identity. */
  readonly team: string;
}

/** Messages name fields, never values: one of them is the key. */
export function parseCredentials(credentials: JsonObject): Credentials {
  settings.refuseUnknown('credentials', credentials, ['apiKey', 'team']);
  const { apiKey, team = 'default' } = credentials;
  if (typeof apiKey !== 'string' || !/^re_[\x21-\x7e]+$/.test(apiKey)) {
    throw new Error(
      'Mail target: credentials.apiKey must begin with re_ and be printable ASCII without spaces; came something else. Pass an API key with full access.',
    );
  }
  if (typeof team !== 'string' || team === '' || team.includes(apiKey)) {
    throw new Error(
      'Mail target: credentials.team must be a name that stays when the API key is changed; came something that is no text, empty, or contains the key. Name the team or leave it out.',
    );
  }
  return { apiKey, team };
}

export function requireHttp(endpoint: Endpoint): void {
  settings.requireHttp(
    endpoint,
    'The service speaks HTTP here; for SMTP take the target of adapters/email/smtp.',
  );
}

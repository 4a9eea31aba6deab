/**
 * How a mail target is configured. In: endpoint, credentials and options as they were written. Out:
 * checked ones, or an error that says what was expected, what came and what to do. No message holds
 * the password.
 */
import type { Endpoint, JsonObject } from '../../target.ts';
import { settingsOf } from '../../target-settings.ts';

const settings = settingsOf('Mail target');

/** RFC 5321 4.5.3.2.6: what a client has to wait for the reply to the final dot alone. */
const defaultClientTimeoutMs = 600_000;

export interface Options {
  readonly clientTimeoutMs: number;
  /** Whether a durable mark is asked for before the final dot. */
  readonly mark: boolean;
  /** Whether a server that offers no STARTTLS is left; means nothing where TLS comes first (smtps). */
  readonly requireTls: boolean;
}

export function parseOptions(options: JsonObject): Options {
  settings.refuseUnknown('options', options, ['clientTimeoutMs', 'mark', 'requireTls']);
  return {
    clientTimeoutMs: settings.readCount(options, {
      name: 'clientTimeoutMs',
      unless: defaultClientTimeoutMs,
      least: 1,
    }),
    mark: settings.readSwitch(options, 'mark', true),
    requireTls: settings.readSwitch(options, 'requireTls', true),
  };
}

export interface Credentials {
  readonly user: string;
  readonly pass: string;
}

/** Null where the server asks nobody who they are. */
export function parseCredentials(credentials: JsonObject): Credentials | null {
  settings.refuseUnknown('credentials', credentials, ['user', 'pass']);
  const { user, pass } = credentials;
  if (user === undefined && pass === undefined) return null;
  if (typeof user === 'string' && user !== '' && typeof pass === 'string' && pass !== '') {
    return { user, pass };
  }
  throw new Error(
    'Mail target: credentials must hold user and pass, both texts, or neither; came something else. Leave both out for a server that asks for none.',
  );
}

export function requireSmtp({ protocol, caPem }: Endpoint, { requireTls }: Options): void {
  if (protocol !== 'smtp' && protocol !== 'smtps') {
    throw new Error(
      `Mail target: endpoint.protocol must be smtp or smtps; came ${protocol}. Use smtps where TLS comes first (port 465), smtp elsewhere (587, 25).`,
    );
  }
  if (protocol === 'smtp' && !requireTls && caPem !== undefined) {
    throw new Error(
      'Mail target: endpoint.caPem goes with TLS; came protocol smtp with requireTls false. Require TLS or leave caPem out.',
    );
  }
}

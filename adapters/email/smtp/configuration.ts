/**
 * How a mail target is configured. In: endpoint, credentials and options as they were written. Out:
 * checked ones, or an error that says what was expected, what came and what to do. No message holds
 * the password.
 */
import type { Endpoint, JsonObject, JsonValue } from '../../target.ts';

/** RFC 5321 4.5.3.2.6: what a client has to wait for the reply to the final dot alone. */
const defaultClientTimeoutMs = 600_000;
/** setTimeout takes 31 bits and fires at once beyond them. */
const longestTimerMs = 0x7fffffff;

export interface Options {
  readonly clientTimeoutMs: number;
  /** Whether a durable mark is asked for before the final dot. */
  readonly mark: boolean;
  /** Whether a server that offers no STARTTLS is left; means nothing where TLS comes first (smtps). */
  readonly requireTls: boolean;
}

const optionNames = ['clientTimeoutMs', 'mark', 'requireTls'];

export function parseOptions(options: JsonObject): Options {
  refuseUnknown('options', options, optionNames);
  const { clientTimeoutMs = defaultClientTimeoutMs, mark, requireTls } = options;
  if (!isTimer(clientTimeoutMs)) {
    throw new Error(
      `Mail target: clientTimeoutMs must be an integer from 1 to ${longestTimerMs}; came ${JSON.stringify(clientTimeoutMs)}. Leave it out for ${defaultClientTimeoutMs}.`,
    );
  }
  return {
    clientTimeoutMs,
    mark: readSwitch('mark', mark, 'unless no mark of no return may be made'),
    requireTls: readSwitch('requireTls', requireTls, 'unless the way to the server is trusted'),
  };
}

export interface Credentials {
  readonly user: string;
  readonly pass: string;
}

/** Null where the server asks nobody who they are. */
export function parseCredentials(credentials: JsonObject): Credentials | null {
  refuseUnknown('credentials', credentials, ['user', 'pass']);
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

function readSwitch(name: string, value: JsonValue | undefined, unless: string): boolean {
  if (value === undefined) return true;
  if (typeof value === 'boolean') return value;
  throw new Error(
    `Mail target: ${name} must be true or false; came ${JSON.stringify(value)}. Leave it out ${unless}.`,
  );
}

function isTimer(value: unknown): value is number {
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  return isWhole && value >= 1 && value <= longestTimerMs;
}

function refuseUnknown(what: string, given: JsonObject, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Error(
    `Mail target: ${what} may hold ${known.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
  );
}

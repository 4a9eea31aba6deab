/**
 * How a keyed mail target is configured. In: endpoint, credentials and options as they were written. Out:
 * checked ones, or an error that says what was expected, what came and what to do. No message holds the
 * API key.
 */
import type { Endpoint, JsonObject } from '../../target.ts';

const defaultClientTimeoutMs = 30_000;
/** setTimeout takes 31 bits and fires at once beyond them. */
const longestTimerMs = 0x7fffffff;

/** How long one call may take: sending, and reading back what was sent. */
export function parseClientTimeout(options: JsonObject): number {
  const { clientTimeoutMs = defaultClientTimeoutMs, ...unknown } = options;
  refuse('options', Object.keys(unknown), ['clientTimeoutMs']);
  if (
    typeof clientTimeoutMs === 'number' &&
    Number.isInteger(clientTimeoutMs) &&
    clientTimeoutMs >= 1 &&
    clientTimeoutMs <= longestTimerMs
  ) {
    return clientTimeoutMs;
  }
  throw new Error(
    `Mail target: clientTimeoutMs must be an integer from 1 to ${longestTimerMs}; came ${JSON.stringify(clientTimeoutMs)}. Leave it out for the default.`,
  );
}

export interface Credentials {
  readonly apiKey: string;
  /** The team the key belongs to, by a name of the caller's own; part of a decision's identity. */
  readonly team: string;
}

/** Messages name fields, never values: one of them is the key. */
export function parseCredentials(credentials: JsonObject): Credentials {
  const { apiKey, team = 'default', ...unknown } = credentials;
  refuse('credentials', Object.keys(unknown), ['apiKey', 'team']);
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

export function requireHttp({ protocol, caPem }: Endpoint): void {
  if (protocol !== 'http' && protocol !== 'https') {
    throw new Error(
      `Mail target: endpoint.protocol must be http or https; came ${protocol}. The service speaks HTTP here; for SMTP take the target of adapters/email/smtp.`,
    );
  }
  if (protocol === 'http' && caPem !== undefined) {
    throw new Error(
      'Mail target: endpoint.caPem goes with https; came protocol http. Use https or leave caPem out.',
    );
  }
}

function refuse(what: string, unknown: readonly string[], known: readonly string[]): void {
  if (unknown.length === 0) return;
  throw new Error(
    `Mail target: ${what} may hold ${known.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
  );
}

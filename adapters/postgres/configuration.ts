/**
 * How a Postgres target is configured. In: endpoint, credentials and options as they were written.
 * Out: checked ones, or an error that says what was expected, what came and what to do. No message
 * holds the password.
 */
import type { Endpoint, JsonObject } from '../target.ts';
import { settingsOf } from '../target-settings.ts';

/** The server's own timeouts have as many bits as a timer here. */
const { readCount, readSwitch, refuseUnknown } = settingsOf('Postgres target');

const defaultClientTimeoutMs = 30_000;
/** The server ends a transaction that is older; half as long again as the client is patient. */
const defaultLandingBoundMs = 45_000;
/** The waits inside the server are parts of this, in whole milliseconds. */
const leastClientTimeoutMs = 20;

const variants = ['unique', 'fenced', 'lookup'] as const;
type VariantName = (typeof variants)[number];

/** What of a gate's knowledge a variant lets it rely on; see the README. */
export type Variant =
  | { readonly name: 'unique' }
  | { readonly name: 'fenced'; readonly lagMs: number }
  | {
      readonly name: 'lookup';
      readonly lagMs: number;
      readonly landingBoundMs: number;
      /** True: the server ends every transaction at the bound. False: somebody else promises it. */
      readonly enforceBound: boolean;
    };

export interface Options {
  readonly variant: Variant;
  readonly clientTimeoutMs: number;
  readonly tls: boolean;
}

const commonOptions = ['variant', 'clientTimeoutMs', 'tls'];
const ownOptions: Readonly<Record<VariantName, readonly string[]>> = {
  unique: [],
  fenced: ['lagMs'],
  lookup: ['lagMs', 'landingBoundMs', 'enforceBound'],
};

export function parseOptions(options: JsonObject): Options {
  const name = variants.find((known) => known === options.variant);
  if (name === undefined) {
    throw new Error(
      `Postgres target: variant must be one of ${variants.join(', ')}; came ${JSON.stringify(options.variant)}. Choose 'unique' where the table of effects may have a primary key.`,
    );
  }
  refuseUnknown(`options of ${name}`, options, [...commonOptions, ...ownOptions[name]]);
  return {
    variant: parseVariant(name, options),
    clientTimeoutMs: readCount(options, {
      name: 'clientTimeoutMs',
      unless: defaultClientTimeoutMs,
      least: leastClientTimeoutMs,
    }),
    tls: readSwitch(options, 'tls', false),
  };
}

function parseVariant(name: VariantName, options: JsonObject): Variant {
  // A primary shows what it has committed at once.
  const lagMs = () => readCount(options, { name: 'lagMs', unless: 0, least: 0 });
  switch (name) {
    case 'unique':
      return { name };
    case 'fenced':
      return { name, lagMs: lagMs() };
    case 'lookup':
      return {
        name,
        lagMs: lagMs(),
        landingBoundMs: readCount(options, {
          name: 'landingBoundMs',
          unless: defaultLandingBoundMs,
          least: 1,
        }),
        enforceBound: readSwitch(options, 'enforceBound', true),
      };
    default:
      return name satisfies never;
  }
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Messages name fields, never values: one of them is the password. */
export function parseCredentials(credentials: JsonObject): Credentials {
  const { user, password, database, ...unknown } = credentials;
  refuseUnknown('credentials', unknown, ['user', 'password', 'database']);
  if (typeof password !== 'string' || password === '') {
    throw new Error(
      'Postgres target: credentials.password must be a non-empty string; came something else. Pass it as it is, not as a connection string.',
    );
  }
  return {
    user: readName('user', user, password),
    password,
    database: readName('database', database, password),
  };
}

function readName(field: string, value: unknown, password: string): string {
  // Names are shown in ledgers and messages.
  if (typeof value === 'string' && value !== '' && !value.includes(password)) return value;
  throw new Error(
    `Postgres target: credentials.${field} must be a name; came something that is no text, empty, or contains the password. Pass the ${field} as Postgres knows it.`,
  );
}

export function requirePostgres({ protocol }: Endpoint): void {
  if (protocol === 'postgres') return;
  throw new Error(
    `Postgres target: endpoint.protocol must be postgres; came ${protocol}. The target speaks to the server itself, with tls: true or endpoint.caPem over TLS.`,
  );
}

/** Where another server than our own is. In: the environment a rail was given. Out: an address, or null. */
import type { RailConfig } from '../rail.ts';
import type { AdminAddress } from './admin.ts';

/** No message holds the address: it contains a password. */
export function readAddress({ environment }: RailConfig): AdminAddress | null {
  const text = environment?.KILLPOINT_DATABASE_URL;
  if (text === undefined || text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const database = decodeURIComponent(url?.pathname.slice(1) ?? '');
  if (
    url === null ||
    !/^postgres(ql)?:$/.test(url.protocol) ||
    url.hostname === '' ||
    url.username === '' ||
    url.search !== ''
  ) {
    throw new Error(
      'Postgres rail: KILLPOINT_DATABASE_URL must be postgres://user:password@host:port/database without parameters; came something else. Name a role that is superuser or has CREATEDB and CREATEROLE.',
    );
  }
  return {
    host: url.hostname,
    port: url.port === '' ? 5432 : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: database === '' ? 'postgres' : database,
  };
}

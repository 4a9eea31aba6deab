/**
 * Databases for programs that keep their own books in Postgres, beside the service they call. In: the
 * rail's configuration. Out: empty databases on the rail's server, each owned by its one role.
 */
import type { CreateApplicationDatabases, RailConfig } from '../rail.ts';
import { readAddress } from './address.ts';
import { type HeldServer, holdServer } from './server.ts';

export const createApplicationDatabases: CreateApplicationDatabases = (config: RailConfig) => {
  const outside = readAddress(config);
  let holding: Promise<HeldServer> | null = null;
  return {
    open: async () => {
      holding ??= holdServer(outside);
      const { server } = await holding;
      const database = await server.createDatabase();
      const { user, password } = database.subject;
      const admin = server.connect(database.name);
      try {
        await admin.run(`GRANT CREATE ON SCHEMA public TO ${user}`);
      } finally {
        await admin.close();
      }
      return {
        url: `postgres://${user}:${password}@${server.host}:${server.port}/${database.name}`,
        close: () => server.dropDatabase(database),
      };
    },
    close: async () => {
      const [held] = await Promise.allSettled([holding]);
      holding = null;
      if (held.status === 'fulfilled') await held.value?.release();
    },
  };
};

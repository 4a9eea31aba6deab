/**
 * A real Postgres for trials. In: nothing, or the address of a server in KILLPOINT_DATABASE_URL. Out:
 * namespaces that are databases of their own, and the journal that their triggers keep. The server
 * starts when the first namespace needs it.
 */
import type { CreateRail, Rail } from '../rail.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import { readAddress } from './address.ts';
import type { AdminAddress } from './admin.ts';
import { describeNamespace, openDatabase, type PostgresRailNamespace } from './namespace.ts';
import { type HeldServer, holdServer } from './server.ts';

export { createApplicationDatabases } from './application.ts';
export type { PostgresRailNamespace } from './namespace.ts';

export interface PostgresRail extends Rail {
  openNamespace(id: string): Promise<PostgresRailNamespace>;
}

/** Opened by whoever wants to know what a rail can do, before it is needed for anything. */
const declarationId = 'declaration';

export const createRail = (async (config): Promise<PostgresRail> => {
  refuseOptions(config.options);
  const outside = readAddress(config);
  const open = new Map<string, PostgresRailNamespace | null>();
  let holding: Promise<HeldServer> | null = null;
  let isClosed = false;

  const hold = async (): Promise<HeldServer> => {
    holding ??= holdServer(outside);
    const held = holding;
    try {
      return await held;
    } catch (error) {
      // The next namespace tries again.
      if (holding === held) holding = null;
      throw error;
    }
  };
  return {
    name: 'postgres',
    openNamespace: async (id) => {
      if (isClosed)
        throw new Error(`Postgres rail: expected an open rail; ${id} came after close.`);
      if (id === declarationId) return describeNamespace(endpointOf(outside));
      if (open.has(id)) {
        throw new Error(
          `Postgres rail: expected an id no open namespace has; came ${id} again. Close the first or take another id.`,
        );
      }
      open.set(id, null);
      try {
        const { server } = await hold();
        const database = await server.createDatabase();
        const namespace = openDatabase(server, database, () => open.delete(id));
        open.set(id, namespace);
        return namespace;
      } catch (error) {
        open.delete(id);
        throw error;
      }
    },
    close: async () => {
      isClosed = true;
      const closed = await Promise.allSettled([...open.values()].map((one) => one?.close()));
      const [held] = await Promise.allSettled([holding]);
      holding = null;
      if (held.status === 'fulfilled') await held.value?.release();
      for (const one of closed) if (one.status === 'rejected') throw one.reason;
    },
  };
}) satisfies CreateRail;

/** Where nothing listens, as long as nothing is started. */
const nowhere = { host: '127.0.0.1', port: 1 };

function endpointOf(outside: AdminAddress | null): Endpoint {
  const { host, port } = outside ?? nowhere;
  return { protocol: 'postgres', host, port };
}

function refuseOptions(options: JsonObject): void {
  const names = Object.keys(options);
  if (names.length === 0) return;
  throw new Error(
    `Postgres rail: there are no options; came ${names.join(', ')}. Remove them; another server is named in KILLPOINT_DATABASE_URL.`,
  );
}

/**
 * One database of a server, with the subject's role and people's. In: what a trial asks. Out: the
 * journal its triggers keep, and what people do there.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEffect, RailNamespace, RailWorldEvent } from '../rail.ts';
import { railWorldEvents } from '../rail.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import { AdminConnection } from './admin.ts';
import { exampleRequests } from './examples.ts';
import { type ArmedHold, Holds } from './holds.ts';
import { makesNoEffect } from './no-effect.ts';
import type { Database, RailServer } from './server.ts';
import { performEvent } from './world.ts';

export interface PostgresRailNamespace extends RailNamespace {
  readonly personCredentials: JsonObject;
  readonly can: readonly [];
  readonly worldEvents: readonly RailWorldEvent[];
  idle(): Promise<boolean>;
  makesNoEffect(request: { readonly method: string; readonly path: string }): boolean;
  world(event: RailWorldEvent, request: JsonObject): Promise<void>;
  /** Stops the subject's next COMMIT of a credit inside the server. */
  hold(): ArmedHold;
  /** Runs a script with the rail's own rights, as the owner of the tables may. */
  administer(script: string): Promise<void>;
  close(): Promise<void>;
}

/** What a namespace says without a server. */
export const withoutServer = {
  // A primary never serves a stale read, stores no answers and has no pages; what else goes wrong with a
  // connection is the wire's.
  can: [] as const,
  worldEvents: railWorldEvents,
  examples: exampleRequests,
  makesNoEffect,
};

/** How long a server that restarts admits nobody. */
const restartMs = 30;
const terminateWithinMs = 5_000;

export function openDatabase(
  server: RailServer,
  database: Database,
  forget: () => void,
): PostgresRailNamespace {
  const rail = server.connect(database.name);
  const holds = new Holds(rail);
  const endpoint: Endpoint = { protocol: 'postgres', host: server.host, port: server.port };
  return {
    ...withoutServer,
    endpoint,
    credentials: { ...database.subject },
    personCredentials: { ...database.person },
    effects: () => readJournal(rail),
    idle: async () => {
      const [busy] = await rail.query(busySql);
      return busy === undefined;
    },
    world: async (event, request) => {
      if (event === 'rail-restarted') return restart(server, database, rail);
      const person = new AdminConnection({ ...endpoint, ...database.person });
      try {
        await performEvent({ person, rail }, event, request);
      } finally {
        await person.close();
      }
    },
    hold: () => holds.hold(),
    administer: (script) => rail.run(script),
    close: async () => {
      forget();
      holds.close();
      await rail.close();
      await server.dropDatabase(database);
    },
  };
}

/** A namespace opened only to read what the rail can do, which needs no database. */
export function describeNamespace(endpoint: Endpoint): PostgresRailNamespace {
  const credentials = { user: 'nobody', password: 'unused', database: 'none' };
  const unavailable = () =>
    new Error(
      "Postgres rail: the namespace 'declaration' says what the rail can do and has no database. Open one with another id.",
    );
  const reject = () => Promise.reject(unavailable());
  return {
    ...withoutServer,
    endpoint,
    credentials,
    personCredentials: credentials,
    effects: reject,
    idle: reject,
    world: reject,
    hold: () => {
      throw unavailable();
    },
    administer: reject,
    close: async () => undefined,
  };
}

async function readJournal(rail: AdminConnection): Promise<readonly JournalEffect[]> {
  const rows = await rail.query<JournalRow>(journalSql);
  return rows.map((row) => ({
    entityId: row.entity_id,
    stamp: row.stamp,
    actor: row.actor,
    subject: row.subject,
    substance: { amountMinor: Number(row.amount_minor), currency: row.currency },
    atMs: Number(row.at_ms),
  }));
}

interface JournalRow {
  readonly entity_id: string;
  readonly stamp: string | null;
  readonly actor: JournalEffect['actor'];
  readonly subject: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly at_ms: string;
}

const journalSql = `SELECT entity_id, stamp, actor, subject, amount_minor, currency,
floor(extract(epoch FROM at) * 1000)::bigint AS at_ms FROM killpoint.journal ORDER BY seq`;

/** Connections break, what was not finished never will be, what was committed stays. */
async function restart(
  server: RailServer,
  database: Database,
  rail: AdminConnection,
): Promise<void> {
  // The rail's own connection must be there before nobody is let in any more.
  await rail.run('SELECT');
  await server.allowConnections(database, false);
  try {
    const alive = await rail.query<{ gone: boolean }>(terminateSql, [terminateWithinMs]);
    if (alive.some(({ gone }) => !gone)) {
      throw new Error(
        `Postgres rail: expected every connection to end within ${terminateWithinMs} ms, and one did not. Look for what keeps its backend busy.`,
      );
    }
    await sleep(restartMs);
  } finally {
    await server.allowConnections(database, true);
  }
}

/** All who are connected here but the rail itself. */
const othersSql = `FROM pg_stat_activity WHERE datname = current_database()
AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
const terminateSql = `SELECT pg_terminate_backend(pid, $1) AS gone ${othersSql}`;
const busySql = `SELECT pid ${othersSql} AND state IS DISTINCT FROM 'idle' LIMIT 1`;

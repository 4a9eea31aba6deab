/**
 * A server that rails share. In: where it is, or nothing for one of our own. Out: databases made from
 * one template, each with two roles. Rails of one program with the same configuration hold the same
 * server, which starts with the first that needs it and ends with the last that lets go: three
 * variants in one run must not cost three servers.
 */
import { randomBytes } from 'node:crypto';
import { type AdminAddress, AdminConnection } from './admin.ts';
import { startEmbeddedServer } from './embedded.ts';
import { exampleAccounts } from './examples.ts';
import { grantsSql, journalSql } from './journal.ts';
import { schemaSql } from './schema.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface Database {
  readonly name: string;
  readonly subject: Login;
  readonly person: Login;
}

export interface RailServer {
  readonly host: string;
  readonly port: number;
  /** As the rail itself, to one database. Whoever asks closes it. */
  connect(database: string): AdminConnection;
  createDatabase(): Promise<Database>;
  dropDatabase(database: Database): Promise<void>;
  /** A database that admits nobody breaks no connection that it has. */
  allowConnections(database: Database, allowed: boolean): Promise<void>;
}

export interface HeldServer {
  readonly server: RailServer;
  /** Once for each hold. The last one ends what was started or made. */
  release(): Promise<void>;
}

interface Shared {
  readonly opening: Promise<OpenServer>;
  holders: number;
}

/** The one state of this module, because rails are made one by one and know nothing of each other. */
const sharedServers = new Map<string, Shared>();

/** `outside`: the address of a server that is there already; null: one of our own. */
export async function holdServer(outside: AdminAddress | null): Promise<HeldServer> {
  const name = outside === null ? 'embedded' : JSON.stringify(outside);
  const shared = sharedServers.get(name) ?? { opening: openServer(outside), holders: 0 };
  sharedServers.set(name, shared);
  shared.holders += 1;
  const release = async () => {
    shared.holders -= 1;
    if (shared.holders > 0) return;
    if (sharedServers.get(name) === shared) sharedServers.delete(name);
    const [opened] = await Promise.allSettled([shared.opening]);
    if (opened.status === 'fulfilled') await opened.value.close();
  };
  try {
    return { server: await shared.opening, release };
  } catch (error) {
    await release();
    throw error;
  }
}

interface OpenServer extends RailServer {
  close(): Promise<void>;
}

async function openServer(outside: AdminAddress | null): Promise<OpenServer> {
  if (outside !== null)
    return prepareServer(outside, { isOurs: false, end: async () => undefined });
  const { address, close } = await startEmbeddedServer();
  return prepareServer(address, { isOurs: true, end: close });
}

interface Ownership {
  /** A server of our own is thrown away whole. */
  readonly isOurs: boolean;
  readonly end: () => Promise<void>;
}

async function prepareServer(
  address: AdminAddress,
  { isOurs, end }: Ownership,
): Promise<OpenServer> {
  const admin = new AdminConnection(address);
  const connect = (database: string) => new AdminConnection({ ...address, database });
  const prefix = `killpoint_${randomBytes(6).toString('hex')}`;
  const template = `${prefix}_template`;
  const subjects = `${prefix}_subjects`;
  const people = `${prefix}_people`;
  const close = async () => {
    try {
      if (!isOurs) {
        await admin.run(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
        await admin.run(`DROP ROLE IF EXISTS ${subjects}, ${people}`);
      }
    } finally {
      await Promise.allSettled([admin.close()]);
      await end();
    }
  };
  try {
    const isSuperuser = await readIsSuperuser(admin);
    // Only a member of a role may end its sessions and see what they do; a superuser may anyway.
    const membership = (roles: string) => (isSuperuser ? '' : `GRANT ${roles} TO CURRENT_USER;`);
    await admin.run(`CREATE ROLE ${subjects} NOLOGIN;CREATE ROLE ${people} NOLOGIN`);
    await admin.run(`CREATE DATABASE ${template} TEMPLATE template0`);
    await fillTemplate(connect(template), grantsSql(subjects, people));

    return {
      host: address.host,
      port: address.port,
      connect,
      close,
      createDatabase: async () => {
        const name = `killpoint_${randomBytes(6).toString('hex')}`;
        const subject = createLogin(name, 'subject');
        const person = createLogin(name, 'person');
        const both = `${subject.user}, ${person.user}`;
        await admin.run(
          `${createRoleSql(subject, subjects)};${createRoleSql(person, people)};${membership(both)}`,
        );
        // The fastest way where the copy's checkpoints disturb nobody else (measured).
        const strategy = isOurs ? ' STRATEGY file_copy' : '';
        await admin.run(`CREATE DATABASE ${name} TEMPLATE ${template}${strategy}`);
        await admin.run(
          `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC;GRANT CONNECT ON DATABASE ${name} TO ${both}`,
        );
        return { name, subject, person };
      },
      dropDatabase: async ({ name, subject, person }) => {
        await admin.run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        await admin.run(`DROP ROLE IF EXISTS ${subject.user}, ${person.user}`);
      },
      allowConnections: ({ name }, allowed) =>
        admin.run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`),
    };
  } catch (error) {
    await Promise.allSettled([close()]);
    throw error;
  }
}

async function readIsSuperuser(admin: AdminConnection): Promise<boolean> {
  const [role] = await admin.query<{ rolsuper: boolean }>(
    'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
  );
  return role?.rolsuper === true;
}

/** A template can be copied only while nobody is connected to it. */
async function fillTemplate(template: AdminConnection, grants: string): Promise<void> {
  const accounts = exampleAccounts.map((account) => `('${account}')`).join(', ');
  try {
    await template.run(
      `${schemaSql}${journalSql}${grants}INSERT INTO accounts (account) VALUES ${accounts};`,
    );
  } finally {
    await template.close();
  }
}

/** The journal knows by the last word of a role whose it is. */
function createLogin(database: string, actor: 'subject' | 'person'): Login {
  return {
    user: `${database}_${actor}`,
    password: randomBytes(18).toString('hex'),
    database,
  };
}

function createRoleSql({ user, password }: Login, group: string): string {
  return `CREATE ROLE ${user} LOGIN PASSWORD '${password}' IN ROLE ${group}`;
}

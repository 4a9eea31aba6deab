/**
 * A rail from a description. In: how an HTTP service is asked, keyed, stamped and listed. Out: a
 * `createRail`, which serves such a service on a loopback port, many accounts told apart by their
 * credentials; or, with the option `url`, reads the journal of one that already runs.
 */
import type { IncomingMessage } from 'node:http';
import { OpenAccounts } from '../open-accounts.ts';
import type { CreateRail, Rail } from '../rail.ts';
import { maxBodyBytes, openWholeRequestServer, type Visit } from '../whole-request-server.ts';
import { KitAccount, type KitNamespace } from './account.ts';
import { type Answers, answersOf } from './answers.ts';
import { checkDescription } from './check-description.ts';
import type { ServiceDescription } from './description.ts';
import { createRunningRail } from './running.ts';

export type { HeldRequest } from '../rail.ts';
export type { KitNamespace, SeenRequest } from './account.ts';
export type * from './description.ts';

/** What a rail is while no server is named. */
export interface KitRail extends Rail {
  openNamespace(id: string): Promise<KitNamespace>;
}

/** Throws for a description that contradicts itself. */
export function railOf(description: ServiceDescription): CreateRail {
  checkDescription(description);
  return async (config) => {
    const { url, ...unknown } = config.options;
    if (Object.keys(unknown).length > 0 || (url !== undefined && typeof url !== 'string')) {
      throw new Error(
        `${description.name} rail: options may hold url, the address of a server that already runs; came ${JSON.stringify(config.options)}. Remove what is not it.`,
      );
    }
    return url === undefined
      ? await serve(description)
      : createRunningRail(description, url, config);
  };
}

interface Desk {
  readonly description: ServiceDescription;
  readonly answers: Answers;
  readonly accounts: OpenAccounts<KitAccount>;
}

async function serve(description: ServiceDescription): Promise<KitRail> {
  const answers = answersOf(description);
  const accounts = new OpenAccounts<KitAccount>(description.name);
  const server = await openWholeRequestServer((request) =>
    receive(request, { description, answers, accounts }),
  );
  return {
    name: description.name,
    openNamespace: async (id) => {
      const { account, forget } = accounts.open(id, () => {
        const account = new KitAccount({ id, endpoint: server.endpoint, description, answers });
        return { account, credentials: account.credentials };
      });
      return account.open(forget);
    },
    close: async () => {
      accounts.close();
      await server.close();
    },
  };
}

/** Who asks is known from the head; an account is at work from then on. */
function receive(request: IncomingMessage, { description, answers, accounts }: Desk): Visit {
  const { header, prefix = '' } = description.credential;
  const given = headerOf(request, header);
  const grant = given?.startsWith(prefix)
    ? accounts.grantOf(given.slice(prefix.length))
    : undefined;
  const work = grant?.account.begin(request);
  return {
    answer: async (body) => {
      if (body === null) return answers.invalid(`A body may hold ${maxBodyBytes} bytes.`);
      if (grant === undefined || work === undefined) return answers.unauthorized();
      const [path = '', query = ''] = (request.url ?? '').split('?', 2);
      return grant.account.answer({
        method: request.method ?? '',
        path,
        query: new URLSearchParams(query),
        body,
        key: description.key === null ? null : headerOf(request, description.key.header),
        actor: grant.actor,
        life: work.life,
      });
    },
    finish: () => work?.finish(),
  };
}

/** Null where it did not come, came empty or came more than once. */
function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : null;
}

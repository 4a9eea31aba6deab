/**
 * A stand-in for GitHub. In: the documented REST API on a loopback port. Out: what GitHub would answer,
 * and a journal of what took effect. One server holds many repositories, each a bare git repository in a
 * temporary folder; nothing leaks between them.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenAccounts } from '../open-accounts.ts';
import type { CreateRail, Rail } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import {
  maxBodyBytes,
  openWholeRequestServer,
  type ServedAnswer,
  type Visit,
} from '../whole-request-server.ts';
import { answerBadCredentials, answerError } from './stand-in/answer.ts';
import type { Operation } from './stand-in/faults.ts';
import { GitHubAccount, type GitHubRailNamespace } from './stand-in/namespace.ts';
import { buildTemplate, type Template } from './stand-in/template.ts';

export type { HeldRequest } from '../rail.ts';
export type { GitHubRailNamespace, SeenRequest } from './stand-in/namespace.ts';

export interface GitHubRail extends Rail {
  openNamespace(id: string): Promise<GitHubRailNamespace>;
}

export const createRail = (async ({ options }): Promise<GitHubRail> => {
  const parsed = parseOptions(options);
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-github-'));
  const open = new Set<GitHubAccount>();
  const accounts = new OpenAccounts<GitHubAccount>('GitHub');
  const server = await openWholeRequestServer((request) => receive(request, accounts));
  let template: Promise<Template> | null = null;
  let opened = 0;

  return {
    name: 'github',
    openNamespace: async (id) => {
      template ??= buildTemplate(join(folder, 'template'));
      const made = await template;
      opened += 1;
      const gitdir = join(folder, `${opened}.git`);
      const { endpoint } = server;
      const { account, forget } = accounts.open(id, () => {
        const account = new GitHubAccount({ id, endpoint, ...parsed, template: made, gitdir });
        return { account, credentials: account.tokens };
      });
      open.add(account);
      return account.open(() => {
        forget();
        open.delete(account);
      });
    },
    close: async () => {
      accounts.close();
      await server.close();
      await template;
      for (const account of open) await account.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}) satisfies CreateRail;

/** Who asks is known from the head; a repository is at work from then on. */
function receive(request: IncomingMessage, accounts: OpenAccounts<GitHubAccount>): Visit {
  const grant = accounts.grantOf(readToken(request));
  const work = grant?.account.begin(request);
  const answer = async (body: string | null): Promise<ServedAnswer> => {
    if (body === null) return answerError(413, `A body may hold ${maxBodyBytes} bytes.`);
    if (grant === undefined || work === undefined) return answerBadCredentials();
    const { method = '', url = '', headers } = request;
    const { account, actor } = grant;
    const { host = 'localhost' } = headers;
    return account.answer({ method, path: url, body, actor, host, life: work.life });
  };
  return {
    answer: async (body) => withRequestId(await answer(body)),
    finish: () => work?.finish(),
  };
}

/** By which GitHub's support finds a request again. */
function withRequestId(answer: ServedAnswer): ServedAnswer {
  const id = randomBytes(8).toString('hex').toUpperCase();
  return { ...answer, headers: { 'x-github-request-id': id, ...answer.headers } };
}

/** GitHub takes both words. */
function readToken({ headers }: IncomingMessage): string | null {
  return /^(?:token|bearer) (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

function parseOptions(options: JsonObject): {
  readonly operation: Operation;
  readonly lagMs: number;
} {
  const { operation, lagMs = 0, ...unknown } = options;
  if (Object.keys(unknown).length > 0) {
    throw new Error(
      `GitHub rail: options may hold operation, lagMs; also came ${Object.keys(unknown).join(', ')}. Remove what is not one of them.`,
    );
  }
  if (operation !== 'merge' && operation !== 'comment') {
    throw new Error(
      `GitHub rail: operation must be merge or comment; came ${JSON.stringify(operation)}. Name what its trials are about.`,
    );
  }
  if (typeof lagMs !== 'number' || !Number.isInteger(lagMs) || lagMs < 0) {
    throw new Error(
      `GitHub rail: lagMs must be a whole number of milliseconds; came ${JSON.stringify(lagMs)}. Give the target's own, or leave it out for reads that are never stale.`,
    );
  }
  return { operation, lagMs };
}

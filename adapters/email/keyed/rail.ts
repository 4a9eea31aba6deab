/**
 * A stand-in for a mail service with idempotency keys, by the rules Resend documents. In: HTTP on a
 * loopback port. Out: what such a service would answer, and a journal of what it accepted for delivery.
 * One server holds many teams, told apart by their API keys; nothing leaks between them.
 */
import type { IncomingMessage } from 'node:http';
import { OpenAccounts } from '../../open-accounts.ts';
import type { CreateRail, Rail } from '../../rail.ts';
import { openWholeRequestServer, readBearer, type Visit } from '../../whole-request-server.ts';
import { answerInvalidApiKey, answerMissingApiKey, answerNoJson } from './answer.ts';
import { type KeyedRailNamespace, MailTeam } from './team.ts';

export type { KeyedRailNamespace, SeenRequest } from './team.ts';

export interface KeyedRail extends Rail {
  openNamespace(id: string): Promise<KeyedRailNamespace>;
}

export const createRail = (async ({ options }): Promise<KeyedRail> => {
  if (Object.keys(options).length > 0) {
    throw new Error(
      `Mail rail: expected no options; came ${Object.keys(options).join(', ')}. Remove them.`,
    );
  }
  const teams = new OpenAccounts<MailTeam>('Mail');
  const server = await openWholeRequestServer((request) => receive(request, teams));

  return {
    name: 'email.keyed',
    openNamespace: async (id) => {
      const { account, forget } = teams.open(id, () => {
        const account = new MailTeam(server.endpoint);
        return { account, credentials: account.apiKeys };
      });
      return account.open(forget);
    },
    close: async () => {
      teams.close();
      await server.close();
    },
  };
}) satisfies CreateRail;

/** Who asks is known from the head; a team is at work from then on. */
function receive(request: IncomingMessage, teams: OpenAccounts<MailTeam>): Visit {
  const grant = teams.grantOf(readBearer(request));
  const work = grant?.account.begin(request);
  return {
    answer: async (body) => {
      const { method = '', url: path = '', headers } = request;
      if (headers.authorization === undefined) return answerMissingApiKey();
      if (grant === undefined || work === undefined) {
        return answerInvalidApiKey(method === 'POST' && path === '/emails');
      }
      if (body === null) return answerNoJson();
      const key = readKey(request);
      const { account, actor } = grant;
      return account.answer({ method, path, body, key, actor, life: work.life });
    },
    finish: () => work?.finish(),
  };
}

/** Several such headers are one with a comma, as everywhere in HTTP. */
function readKey({ headers }: IncomingMessage): string | null {
  const key = headers['idempotency-key'];
  return key === undefined ? null : String(key);
}

/**
 * A stand-in for a ledger that posts entries and can be fenced. In: HTTP on a loopback port. Out:
 * what such a service would answer, and a journal of what took effect. One server holds many ledgers,
 * told apart by their tokens; nothing leaks between them.
 */
import type { IncomingMessage } from 'node:http';
import { OpenAccounts } from '../open-accounts.ts';
import type { CreateRail, Rail } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import {
  maxBodyBytes,
  openWholeRequestServer,
  readBearer,
  type Visit,
} from '../whole-request-server.ts';
import { answerInvalid, answerUnauthorized } from './answer.ts';
import {
  LedgerAccount,
  type LedgerAccountOptions,
  type LedgeredRailNamespace,
} from './namespace.ts';

export type { HeldRequest } from '../rail.ts';
export type { LedgeredRailNamespace, SeenRequest } from './namespace.ts';

export interface LedgeredRail extends Rail {
  openNamespace(id: string): Promise<LedgeredRailNamespace>;
}

export const createRail = (async ({ options }): Promise<LedgeredRail> => {
  const waits = parseOptions(options);
  const accounts = new OpenAccounts<LedgerAccount>('Ledger');
  const server = await openWholeRequestServer((request) => receive(request, accounts));

  return {
    name: 'ledgered',
    openNamespace: async (id) => {
      const { account, forget } = accounts.open(id, () => {
        const account = new LedgerAccount({ id, endpoint: server.endpoint, ...waits });
        return { account, credentials: account.tokens };
      });
      return account.open(forget);
    },
    close: async () => {
      accounts.close();
      await server.close();
    },
  };
}) satisfies CreateRail;

/** Who asks is known from the head; a ledger is at work from then on. */
function receive(request: IncomingMessage, accounts: OpenAccounts<LedgerAccount>): Visit {
  const grant = accounts.grantOf(readBearer(request));
  const work = grant?.account.begin(request);
  return {
    answer: async (body) => {
      if (body === null) return answerInvalid(`A body may hold ${maxBodyBytes} bytes.`);
      if (grant === undefined || work === undefined) return answerUnauthorized();
      const { method = '', url = '' } = request;
      const { account, actor } = grant;
      return account.answer({ method, path: url, body, actor, life: work.life });
    },
    finish: () => work?.finish(),
  };
}

function parseOptions(options: JsonObject): Pick<LedgerAccountOptions, 'lagMs' | 'workMs'> {
  const { lagMs = 0, workMs = 0, ...unknown } = options;
  if (Object.keys(unknown).length > 0) {
    throw new Error(
      `Ledger rail: options may hold lagMs, workMs; also came ${Object.keys(unknown).join(', ')}. Remove what is not one of them.`,
    );
  }
  return {
    lagMs: readWait('lagMs', lagMs, 'for reads that are never stale'),
    workMs: readWait('workMs', workMs, 'for postings that take effect at once'),
  };
}

function readWait(name: string, value: unknown, unless: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new Error(
    `Ledger rail: ${name} must be a whole number of milliseconds; came ${JSON.stringify(value)}. Give the target's own, or leave it out ${unless}.`,
  );
}

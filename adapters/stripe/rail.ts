/**
 * A stand-in for Stripe's API: refunds, and the payment intents they need. In: HTTP on a loopback
 * port. Out: what the documented service would answer, and a journal of what took effect. One server
 * holds many accounts, told apart by their API keys; nothing leaks between them.
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
import { type Answer, answerBadRequest, answerNotAuthorized } from './answer.ts';
import { parseExampleAmounts } from './examples.ts';
import { StripeAccount, type StripeAccountOptions, type StripeRailNamespace } from './namespace.ts';

export type { HeldRequest } from '../rail.ts';
export type { StripeFault } from './faults.ts';
export type { SeenRequest, StripeRailNamespace } from './namespace.ts';

export interface StripeRail extends Rail {
  openNamespace(id: string): Promise<StripeRailNamespace>;
}

/** The version answers are rendered in when a request names none. */
const defaultVersion = '2026-10-28.endive';

export const createRail = (async ({ options }): Promise<StripeRail> => {
  const accountOptions = parseOptions(options);
  const accounts = new OpenAccounts<StripeAccount>('Stripe');
  let requestCount = 0;
  const server = await openWholeRequestServer((request) => {
    requestCount += 1;
    return receive(request, `req_${String(requestCount).padStart(14, '0')}`, accounts);
  });

  return {
    name: 'stripe',
    openNamespace: async (id) => {
      const { account, forget } = accounts.open(id, () => {
        const account = new StripeAccount({ id, endpoint: server.endpoint, ...accountOptions });
        return { account, credentials: account.apiKeys };
      });
      return account.open(forget);
    },
    close: async () => {
      accounts.close();
      await server.close();
    },
  };
}) satisfies CreateRail;

/** Who asks is known from the head; an account is at work from then on. */
function receive(
  request: IncomingMessage,
  requestId: string,
  accounts: OpenAccounts<StripeAccount>,
): Visit {
  const apiKey = readBearer(request);
  const grant = accounts.grantOf(apiKey);
  const work = grant?.account.begin(request);
  const answer = async (body: string | null): Promise<Answer> => {
    if (body === null) {
      return answerBadRequest({ message: `A body may hold ${maxBodyBytes} bytes.` });
    }
    if (apiKey === null || grant === undefined || work === undefined) {
      return answerNotAuthorized(apiKey);
    }
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    return grant.account.answer({
      method: request.method ?? '',
      path,
      query,
      body,
      idempotencyKey: readKey(request),
      apiKey,
      actor: grant.actor,
      life: work.life,
    });
  };
  return {
    answer: async (body) => withHeaders(request, requestId, await answer(body)),
    finish: () => work?.finish(),
  };
}

function withHeaders(request: IncomingMessage, requestId: string, answer: Answer): Answer {
  const key = request.method === 'POST' ? readKey(request) : null;
  const { 'stripe-account': account, 'stripe-version': version } = request.headers;
  return {
    ...answer,
    headers: {
      'content-type': 'application/json',
      'request-id': requestId,
      'stripe-version': typeof version === 'string' ? version : defaultVersion,
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...(typeof account === 'string' ? { 'stripe-account': account } : {}),
      ...answer.headers,
    },
  };
}

/** A header Node gives as a list was sent twice; that is no key. */
function readKey({ headers }: IncomingMessage): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

const optionNames = ['ignoreKeys', 'lagMs', 'workMs', 'examples'];

function parseOptions(
  options: JsonObject,
): Pick<StripeAccountOptions, 'ignoreKeys' | 'lagMs' | 'workMs' | 'amounts'> {
  const unknown = Object.keys(options).filter((name) => !optionNames.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `Stripe rail: options may hold ${optionNames.join(', ')}; also came ${unknown.join(', ')}. Remove what is not one of them.`,
    );
  }
  const { ignoreKeys = false } = options;
  if (typeof ignoreKeys !== 'boolean') {
    throw new Error(
      `Stripe rail: ignoreKeys must be true or false; came ${JSON.stringify(ignoreKeys)}. Leave it out for an account that honours keys.`,
    );
  }
  return {
    ignoreKeys,
    lagMs: readWait(options, 'lagMs', 'for lists that are never stale'),
    workMs: readWait(options, 'workMs', 'for refunds that take effect at once'),
    amounts: parseExampleAmounts(options.examples),
  };
}

function readWait(options: JsonObject, name: 'lagMs' | 'workMs', unless: string): number {
  const value = options[name] ?? 0;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new Error(
    `Stripe rail: ${name} must be a whole number of milliseconds; came ${JSON.stringify(value)}. Give the target's own, or leave it out ${unless}.`,
  );
}

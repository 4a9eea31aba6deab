/**
 * A stand-in for Stripe's API: refunds, and the reading of payment intents. In: HTTP on a loopback
 * port. Out: what the documented service would answer, and a journal of what took effect. One server
 * holds many accounts, told apart by their API keys; nothing leaks between them.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CreateRail, Rail } from '../rail.ts';
import type { Endpoint, JsonObject } from '../target.ts';
import { type Answer, answerBadRequest, answerNotAuthorized } from './answer.ts';
import { StripeAccount, type StripeAccountOptions, type StripeRailNamespace } from './namespace.ts';
import type { Actor } from './refunds.ts';

export type { HeldRequest, StripeFault } from './faults.ts';
export type { SeenRequest, StripeRailNamespace } from './namespace.ts';

export interface StripeRail extends Rail {
  openNamespace(id: string): Promise<StripeRailNamespace>;
}

/** The version answers are rendered in when a request names none. */
const defaultVersion = '2026-10-28.endive';
/** Far above any refund; a body that never ends must not fill the memory. */
const maxBodyBytes = 1024 * 1024;

interface Grant {
  readonly account: StripeAccount;
  readonly actor: Actor;
}

export const createRail = (async ({ options }): Promise<StripeRail> => {
  const accountOptions = parseOptions(options);
  const grants = new Map<string, Grant>();
  const accounts = new Map<string, StripeAccount>();
  let requestCount = 0;
  const server = createServer((request, response) => {
    requestCount += 1;
    const requestId = `req_${String(requestCount).padStart(14, '0')}`;
    serve({ request, response, requestId, grants });
  });
  const endpoint = await listen(server);

  return {
    name: 'stripe',
    openNamespace: async (id) => {
      if (accounts.has(id)) {
        throw new Error(
          `Stripe rail: expected an id no open namespace has; came ${id} again. Close the first or take another id.`,
        );
      }
      const account = new StripeAccount({ id, endpoint, ...accountOptions });
      const { subject, person } = account.apiKeys;
      accounts.set(id, account);
      grants.set(subject, { account, actor: 'subject' });
      grants.set(person, { account, actor: 'person' });
      return account.open(() => {
        accounts.delete(id);
        grants.delete(subject);
        grants.delete(person);
      });
    },
    close: async () => {
      for (const account of accounts.values()) account.close();
      accounts.clear();
      grants.clear();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}) satisfies CreateRail;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly grants: ReadonlyMap<string, Grant>;
}

/** Executes only what has arrived whole, and from then on whether or not its sender stays. */
function serve({ request, response, requestId, grants }: Exchange): void {
  const apiKey = readBearer(request.headers.authorization);
  const grant = apiKey === null ? undefined : grants.get(apiKey);
  const finish = grant?.account.begin();
  let hasEnded = false;
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes <= maxBodyBytes) chunks.push(chunk);
  });
  request.once('close', () => {
    if (!hasEnded) finish?.();
  });
  request.once('end', async () => {
    hasEnded = true;
    const send = (answer: Answer) => sendAnswer({ request, response, requestId }, answer);
    try {
      if (receivedBytes > maxBodyBytes) {
        send(answerBadRequest({ message: `A body may hold ${maxBodyBytes} bytes.` }));
      } else if (apiKey === null || grant === undefined) {
        send(answerNotAuthorized(apiKey));
      } else {
        const [path = '', query = ''] = (request.url ?? '').split('?', 2);
        send(
          await grant.account.answer({
            method: request.method ?? '',
            path,
            query,
            body: Buffer.concat(chunks).toString('utf8'),
            idempotencyKey: readKey(request),
            apiKey,
            actor: grant.actor,
          }),
        );
      }
    } finally {
      finish?.();
    }
  });
}

function sendAnswer(
  { request, response, requestId }: Omit<Exchange, 'grants'>,
  { status, body, headers }: Answer,
): void {
  const key = request.method === 'POST' ? readKey(request) : null;
  const account = request.headers['stripe-account'];
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'request-id': requestId,
    'stripe-version': request.headers['stripe-version'] ?? defaultVersion,
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...(account === undefined ? {} : { 'stripe-account': account }),
    ...headers,
  });
  response.end(body);
}

/** A header Node gives as a list was sent twice; that is no key. */
function readKey({ headers }: IncomingMessage): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

function readBearer(authorization: string | undefined): string | null {
  return /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? null;
}

async function listen(server: Server): Promise<Endpoint> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { protocol: 'http', host: '127.0.0.1', port };
}

function parseOptions(options: JsonObject): Pick<StripeAccountOptions, 'ignoreKeys' | 'lagMs'> {
  const unknown = Object.keys(options).filter((name) => name !== 'ignoreKeys' && name !== 'lagMs');
  if (unknown.length > 0) {
    throw new Error(
      `Stripe rail: options may hold ignoreKeys and lagMs; also came ${unknown.join(', ')}. Remove what is not one of them.`,
    );
  }
  const { ignoreKeys = false, lagMs = 0 } = options;
  if (typeof ignoreKeys !== 'boolean') {
    throw new Error(
      `Stripe rail: ignoreKeys must be true or false; came ${JSON.stringify(ignoreKeys)}. Leave it out for an account that honours keys.`,
    );
  }
  if (typeof lagMs !== 'number' || !Number.isInteger(lagMs) || lagMs < 0) {
    throw new Error(
      `Stripe rail: lagMs must be a whole number of milliseconds; came ${JSON.stringify(lagMs)}. Give the target's own, or leave it out for lists that are never stale.`,
    );
  }
  return { ignoreKeys, lagMs };
}

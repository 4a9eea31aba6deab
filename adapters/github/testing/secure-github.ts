/**
 * The stand-in where GitHub would be: behind TLS, under an authority that only a file names, and with
 * the few requests that make a trial's pull requests and issues, which the stand-in has ready instead.
 * What a live rail is given to reach it are environment variables.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throwAwayCertificate } from '../../stripe/testing/loopback.ts';
import type { JsonObject } from '../../target.ts';
import { createRail, type GitHubRailNamespace } from '../rail.ts';

export interface SecureGitHub {
  readonly environment: Readonly<Record<string, string>>;
  readonly tokens: { readonly subject: string; readonly person: string };
  /** The repository behind it. */
  readonly account: GitHubRailNamespace;
  /** Method and path of all that came, oldest first. */
  readonly came: readonly string[];
  /** How many connections were opened to it so far, with or without a handshake. */
  connections(): number;
  close(): Promise<void>;
}

export async function openSecureGitHub(operation: 'merge' | 'comment'): Promise<SecureGitHub> {
  const rail = await createRail({ options: { operation } });
  const account = await rail.openNamespace('live');
  const { key, cert, authority } = await throwAwayCertificate({ type: 2, value: 'localhost' });
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-ca-'));
  const caPath = join(folder, 'ca.pem');
  writeFileSync(caPath, authority);
  const came: string[] = [];
  let connections = 0;
  const makes = makerOf(account, operation);
  const server = createServer({ key, cert }, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '', headers } = request;
    came.push(`${method} ${url}`);
    const asked = { method, url, headers, body };
    const made = makes(asked);
    if (made === null) passOn(account, asked, response);
    else await answerMade(account, made, asked, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tokens = {
    subject: String(account.credentials.token),
    person: String(account.personCredentials.token),
  };
  return {
    environment: {
      KILLPOINT_GITHUB_TOKEN: tokens.subject,
      KILLPOINT_GITHUB_SANDBOX: String(account.credentials.repository),
      KILLPOINT_GITHUB_URL: `https://localhost:${(server.address() as AddressInfo).port}`,
      KILLPOINT_GITHUB_CA: caPath,
    },
    tokens,
    account,
    came,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rail.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Said as it stands, or read from the stand-in and said with another status, or an event of its world. */
type Made =
  | { readonly status: number; readonly body: JsonObject }
  | { readonly status: number; readonly read: string }
  | { readonly status: number; readonly push: number; readonly body: JsonObject };

const shaOfNothing = '0'.repeat(40);

/** The stand-in's own pull requests are handed out in their order, each on the branch it was asked for. */
function makerOf(account: GitHubRailNamespace, operation: 'merge' | 'comment') {
  const base = `/repos/${account.credentials.repository}`;
  const heads: string[] = [];
  const pulls = operation === 'merge' ? readyPulls(account) : [];
  return ({ method, url, headers, body }: Asked): Made | null => {
    const asked = `${method} ${url.replace(base, '')}`;
    if (asked === 'GET /user') {
      return { status: 200, body: { login: loginOf(account, headers.authorization) } };
    }
    if (asked === 'POST /git/refs') return { status: 201, body: {} };
    if (asked === 'POST /issues') return { status: 201, read: `${base}/issues/6` };
    if (asked.startsWith('PUT /contents/')) {
      // The first commits make the heads, one more is a push to the first.
      const pull = pulls[heads.length];
      if (pull === undefined) {
        return {
          status: 201,
          push: pulls[0]?.number ?? 0,
          body: { commit: { sha: shaOfNothing } },
        };
      }
      heads.push(pull.sha);
      return { status: 201, body: { commit: { sha: pull.sha } } };
    }
    if (asked === 'POST /pulls') {
      return { status: 201, read: `${base}/pulls/${pulls[heads.length - 1]?.number}` };
    }
    // The stand-in edits titles alone.
    const isEdit = asked.startsWith('PATCH /issues/') && !body.includes('"title"');
    const isRemoval = /^(?:PATCH \/pulls|DELETE \/git\/refs)\//.test(asked);
    return isEdit || isRemoval ? { status: 200, body: {} } : null;
  };
}

function readyPulls(account: GitHubRailNamespace) {
  const { request, distinct, lookAlike } = account.examples(1);
  return [request, distinct, lookAlike].map(({ pullNumber, sha }) => ({
    number: Number(pullNumber),
    sha: String(sha),
  }));
}

async function answerMade(
  account: GitHubRailNamespace,
  made: Made,
  asked: Asked,
  response: ServerResponse,
): Promise<void> {
  if ('read' in made) {
    const { authorization } = asked.headers;
    const read = { method: 'GET', url: made.read, headers: { authorization }, body: '' };
    passOn(account, read, response, made.status);
    return;
  }
  if ('push' in made) await account.world('premise-changed', { pullNumber: made.push });
  response.writeHead(made.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(made.body));
}

interface Asked extends Required<Pick<IncomingMessage, 'headers'>> {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** `made` is the status of what was read and not made. */
function passOn(
  { endpoint }: GitHubRailNamespace,
  { method, url, headers, body }: Asked,
  response: ServerResponse,
  made = 200,
): void {
  const { host, port } = endpoint;
  const upstream = requestHttp({ host, port, method, path: url, headers, agent: false });
  upstream.on('error', () => response.destroy());
  upstream.on('response', (answer) => {
    const { statusCode: status = 502 } = answer;
    response.writeHead(status === 200 ? made : status, answer.headers);
    answer.pipe(response);
  });
  upstream.end(body);
}

/** As the stand-in shows whose token it is: by who merged and who wrote. */
function loginOf(account: GitHubRailNamespace, authorization = ''): string {
  const { repository } = account.credentials;
  const tag = /^owner-(\w+)\//.exec(String(repository))?.[1];
  const isPerson = authorization.includes(String(account.personCredentials.token));
  return `${isPerson ? 'person' : 'subject'}-${tag}`;
}

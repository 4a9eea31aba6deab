/**
 * The only way to GitHub in a live run, for the subject, the target and the harness alike. In: requests
 * on the loopback, and the one repository that may be touched. Out: GitHub's answers. A request about
 * anything else is refused here, before a connection to GitHub is opened.
 *
 * A request that has come whole is carried out whether or not its sender stays, as at any service. What
 * GitHub's answers would lead elsewhere by themselves, a redirect and the addresses of further pages, leads
 * back here or nowhere.
 */
import { request as requestHttps } from 'node:https';
import type { Endpoint } from '../target.ts';
import { openWholeRequestServer, type ServedAnswer } from '../whole-request-server.ts';
import { nameOf, parseRepository, type Repository } from './configuration.ts';

export interface LiveGuard {
  /** Where it listens. */
  readonly endpoint: Endpoint;
  /** No request is on its way. */
  isIdle(): boolean;
  close(): Promise<void>;
}

/** Beyond any deadline of a target: what GitHub answers later than that it answers to nobody. */
const patienceMs = 60_000;

export async function openLiveGuard(github: Endpoint, sandbox: Repository): Promise<LiveGuard> {
  let underWay = 0;
  const server = await openWholeRequestServer((request) => {
    underWay += 1;
    const { method = '', url = '', headers } = request;
    return {
      answer: async (body) => {
        const why = whyNot(method, url, sandbox);
        if (why !== null || body === null) return refuse(why ?? 'a body may hold a megabyte');
        try {
          const answer = await forward(github, { method, url, headers: passedOn(headers), body });
          const { host, port } = server.endpoint;
          return kept(answer, `http://${host}:${port}/repos/${sandbox.owner}/${sandbox.repo}/`);
        } catch (error) {
          // GitHub said nothing, and so does this: the sender's connection ends without an answer.
          request.socket.destroy();
          return { status: 502, body: String(error), headers: {} };
        }
      },
      finish: () => {
        underWay -= 1;
      },
    };
  });
  return { endpoint: server.endpoint, isIdle: () => underWay === 0, close: server.close };
}

/** Why a request may not be sent, or null. Nothing that a server might read as another path gets by. */
export function whyNot(method: string, url: string, sandbox: Repository): string | null {
  const expected = `only ${nameOf(sandbox)} may be touched`;
  const [path = ''] = url.split('?', 1);
  // Whose token it is; names no repository.
  if (method === 'GET' && path === '/user') return null;
  if (!/^(?:\/[\w.\-~:@+%]+)+$/.test(path) || /\/\.\.?(?:\/|$)|%(?:2e|2f|5c|25)/i.test(path)) {
    return `${expected}; came a path that may lead elsewhere`;
  }
  const [, root, owner = '', repo = '', place = ''] = path.split('/');
  const named = root === 'repos' ? parseRepository(`${owner}/${repo}`) : null;
  if (named === null || nameOf(named) !== nameOf(sandbox)) {
    return `${expected}; came another place`;
  }
  return method !== 'GET' && leadsAway.includes(place.toLowerCase())
    ? `${expected}; came ${method} of ${place === '' ? 'the repository itself' : place}, which makes or moves one`
    : null;
}

/** Below the sandbox's own path, and what it does is another repository, or the sandbox under another name. */
const leadsAway = ['', 'forks', 'generate', 'transfer'];

/** Without a redirect, which clients follow past the guard, and with its links to further pages made the guard's. */
function kept({ status, body, headers }: ServedAnswer, base: string): ServedAnswer {
  const { location: _, link, ...rest } = headers;
  const pages = link?.replace(
    /<https:\/\/[^/>]+\/(?:repositories\/\d+|repos\/[^/>]+\/[^/>]+)\//g,
    `<${base}`,
  );
  return { status, body, headers: { ...rest, ...(pages !== undefined && { link: pages }) } };
}

function refuse(why: string): ServedAnswer {
  const documentation_url = 'docs/live-github.md';
  const message = `Killpoint sent nothing: ${why}.`;
  return {
    status: 403,
    body: JSON.stringify({ message, documentation_url }),
    headers: { 'content-type': 'application/json' },
  };
}

interface Forwarded {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Of a connection its own end alone knows; the rest is what the sender said to GitHub. */
const ofTheConnection = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect'];

function passedOn(headers: NodeJS.Dict<string | string[]>): Readonly<Record<string, string>> {
  const said = Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name));
  return Object.fromEntries(said.map(([name, value]) => [name, String(value)]));
}

function forward(
  { host, port, caPem }: Endpoint,
  { method, url, headers, body }: Forwarded,
): Promise<ServedAnswer> {
  return new Promise((resolve, reject) => {
    const content = Buffer.from(body);
    const request = requestHttps({
      host,
      port,
      method,
      path: url,
      agent: false,
      timeout: patienceMs,
      // What is compressed could not be passed on as text.
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': content.length },
      ...(caPem !== undefined && { ca: caPem }),
    });
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error(`no answer within ${patienceMs} ms`)));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 502 } = response;
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status, body: text, headers: passedOn(response.headers) });
      });
    });
    request.end(content);
  });
}

/**
 * A bare server that says what it is told to, in GitHub's documented shapes: for answers that no
 * stand-in gives by itself. Everything opened is closed when the test that opened it ends.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EffectTarget, Endpoint, JsonObject, JsonValue, QueryResult } from '../../target.ts';
import { createTarget } from '../target.ts';

export const token = 'ghp_n0tAR3alT0ken';
export const credentials = { token, repository: 'octo/hello' };
export const headSha = 'a'.repeat(40);
export const mergeSha = 'c'.repeat(40);

export const mergeRequest: JsonObject = {
  operation: 'merge',
  pullNumber: 7,
  sha: headSha,
  method: 'merge',
};
export const commentRequest: JsonObject = {
  operation: 'comment',
  issueNumber: 7,
  body: 'Released in 1.2.0.',
};

export interface Came {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Canned {
  readonly status: number;
  readonly body: JsonValue | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is answered to whose method and path begin so, the longest first; a list is answered in its order, its last for ever. */
export type Script = Readonly<Record<string, Canned | Handler | readonly Canned[]>>;
type Handler = (response: ServerResponse, socket: Socket) => void;

export interface CannedGitHub {
  readonly endpoint: Endpoint;
  readonly came: readonly Came[];
}

export async function openCanned(script: Script): Promise<CannedGitHub> {
  const came: Came[] = [];
  const asked = new Map<string, number>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url: path = '', headers } = request;
    came.push({ method, path, headers, body });
    const begin = Object.keys(script)
      .filter((start) => `${method} ${path}`.startsWith(start))
      .sort((one, other) => other.length - one.length)[0];
    const said = begin === undefined ? undefined : script[begin];
    if (typeof said === 'function') {
      said(response, request.socket);
      return;
    }
    const times = asked.get(String(begin)) ?? 0;
    asked.set(String(begin), times + 1);
    const answer = isList(said) ? said[Math.min(times, said.length - 1)] : said;
    write(response, answer ?? failure(404, 'Not Found'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: { protocol: 'http', host: '127.0.0.1', port }, came };
}

function isList(said: Canned | readonly Canned[] | undefined): said is readonly Canned[] {
  return Array.isArray(said);
}

function write(response: ServerResponse, { status, body, headers }: Canned): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/html' : 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(text);
}

export function failure(status: number, message: string): Canned {
  const documentation_url = 'https://docs.github.com/rest';
  return { status, body: { message, documentation_url, status: String(status) } };
}

export function ok(body: JsonValue, status = 200): Canned {
  return { status, body };
}

export function pull(changes: JsonObject = {}): Canned {
  return ok({
    number: 7,
    state: 'open',
    draft: false,
    merged: false,
    merge_commit_sha: 'e'.repeat(40),
    head: { sha: headSha, ref: 'topic' },
    base: { ref: 'main', repo: { full_name: 'Octo/Hello' } },
    ...changes,
  });
}

export function mergedPull(changes: JsonObject = {}): Canned {
  return pull({
    state: 'closed',
    merged: true,
    merge_commit_sha: mergeSha,
    merged_by: { login: 'ada' },
    ...changes,
  });
}

export function commit(message: string, sha = mergeSha): Canned {
  return ok({ sha, commit: { message } });
}

export function merged(): Canned {
  return ok({ sha: mergeSha, merged: true, message: 'Pull Request successfully merged' });
}

export function comment(id: number, body: string, issue = 7): JsonObject {
  return { id, body, issue_url: `https://api.github.com/repos/Octo/Hello/issues/${issue}` };
}

export function issue(comments: number, changes: JsonObject = {}): Canned {
  return ok({
    number: 7,
    state: 'open',
    title: 'A title',
    comments,
    repository_url: 'https://api.github.com/repos/octo/hello',
    ...changes,
  });
}

export interface LookingTarget extends EffectTarget {
  query(call: { readonly key: string; readonly request: JsonObject }): Promise<QueryResult>;
}

export function openTarget(endpoint: Endpoint, options: JsonObject): LookingTarget {
  const target = createTarget({
    endpoint,
    credentials,
    options: { clientTimeoutMs: 5_000, lagMs: 0, ...options },
    now: Date.now,
  });
  onTestFinished(() => target.close?.());
  const { query } = target;
  if (query === undefined) throw new Error('expected a target with a lookup');
  return { ...target, query };
}

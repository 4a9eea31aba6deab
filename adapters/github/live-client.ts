/**
 * The harness's own client of GitHub itself, through the guard. In: a token. Out: the official client,
 * and errors in words that hold no token. The subject and its target never see it.
 */
import { Octokit } from '@octokit/core';
import type { Endpoint } from '../target.ts';
import { nameOf, type Repository } from './configuration.ts';

/** What is asked here is asked of a healthy service, past the wire: it is waited for longer than a subject would. */
const timeoutMs = 30_000;

export type LiveParameters = Readonly<Record<string, string | number | boolean>>;

export interface LiveClient {
  /** About the sandbox. Rejects with what GitHub said, without a token in it. `what` follows "expected to". */
  call(what: string, route: string, parameters?: LiveParameters): Promise<LiveRecord>;
  list(what: string, route: string, parameters: LiveParameters): Promise<readonly LiveRecord[]>;
}

/** Whatever GitHub answers; read field by field. */
export type LiveRecord = Readonly<Record<string, unknown>>;

/** What GitHub answered a call that did not do. Absent: it did not answer. */
export class LiveCallError extends Error {
  override readonly name = 'LiveCallError';
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message);
    this.status = status;
  }
}

export function openLiveClient(guard: Endpoint, token: string, sandbox: Repository): LiveClient {
  const octokit = new Octokit({ auth: token, baseUrl: `http://${guard.host}:${guard.port}` });
  const failure = (what: string, status: number | undefined, said: string) => {
    const answered = status === undefined ? 'no answer' : `status ${status}`;
    return new LiveCallError(
      `GitHub, ${nameOf(sandbox)}: expected to ${what}; came ${answered}: ${said.replaceAll(token, '[token]')}`,
      status,
    );
  };
  const send = async (what: string, route: string, parameters: LiveParameters) => {
    try {
      const request = { signal: AbortSignal.timeout(timeoutMs) };
      const place = route.includes('{owner}') ? sandbox : {};
      return await octokit.request(route, { ...place, ...parameters, request });
    } catch (error) {
      throw failure(what, statusOf(error), error instanceof Error ? error.message : String(error));
    }
  };
  const ask = async (what: string, route: string, parameters: LiveParameters = {}) => {
    const { status, data } = await send(what, route, parameters);
    // The client takes a redirect that leads nowhere for an answer.
    if (status < 300) return data as unknown;
    throw failure(what, status, 'it goes by another name now; name that one');
  };
  return {
    call: async (what, route, parameters) => toRecord(await ask(what, route, parameters)),
    list: async (what, route, parameters) => {
      const items = await ask(what, route, parameters);
      return Array.isArray(items) ? items.map(toRecord) : [];
    },
  };
}

/** The client calls no answer a 500 as well; only what GitHub said comes with a response. */
function statusOf(error: unknown): number | undefined {
  const hasAnswer = error instanceof Error && 'response' in error && error.response !== undefined;
  return hasAnswer && 'status' in error ? Number(error.status) : undefined;
}

function toRecord(value: unknown): LiveRecord {
  return typeof value === 'object' && value !== null ? (value as LiveRecord) : {};
}

/** A field of a field, as text; empty where there is none. */
export function textAt(record: LiveRecord, ...path: readonly string[]): string {
  let value: unknown = record;
  for (const name of path) value = toRecord(value)[name];
  return value === undefined || value === null ? '' : String(value);
}

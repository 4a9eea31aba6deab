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
  const ask = async (what: string, route: string, parameters: LiveParameters = {}) => {
    try {
      const request = { signal: AbortSignal.timeout(timeoutMs) };
      const place = route.includes('{owner}') ? sandbox : {};
      const { data } = await octokit.request(route, { ...place, ...parameters, request });
      return data as unknown;
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      const status = statusOf(error);
      const answered = status === undefined ? 'no answer' : `status ${status}`;
      throw new LiveCallError(
        `GitHub, ${nameOf(sandbox)}: expected to ${what}; came ${answered}: ${said.replaceAll(token, '[token]')}`,
        status,
      );
    }
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

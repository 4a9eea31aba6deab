/**
 * How a GitHub target is configured. In: endpoint, credentials and options as they were written. Out:
 * checked ones, or an error that says what was expected, what came and what to do. No message holds
 * the token.
 */
import type { Endpoint, JsonObject } from '../target.ts';
import { longestTimerMs, settingsOf } from '../target-settings.ts';

const settings = settingsOf('GitHub target');

/** GitHub ends a request after 10 s (docs: troubleshooting the REST API); a merge is two requests. */
const defaultClientTimeoutMs = 20_000;
/** GitHub promises no reading of one's own writes; ten seconds are margin. */
const defaultLagMs = 10_000;
/** The 10 s after which GitHub ends a request, and twice as much again: it says that they may change. */
const defaultLandingBoundMs = 30_000;
/** The most GitHub gives at a time, so that few requests are needed. */
const maxPageSize = 100;

export type Options = MergeOptions | CommentOptions;

export interface MergeOptions {
  readonly operation: 'merge';
  readonly clientTimeoutMs: number;
  readonly lagMs: number;
  readonly landingBoundMs: number;
}

export interface CommentOptions {
  readonly operation: 'comment';
  readonly clientTimeoutMs: number;
  readonly lagMs: number;
  readonly pageSize: number;
}

const optionNames = {
  merge: ['operation', 'clientTimeoutMs', 'lagMs', 'landingBoundMs'],
  comment: ['operation', 'clientTimeoutMs', 'lagMs', 'pageSize'],
} as const;

export function parseOptions(options: JsonObject): Options {
  const { operation } = options;
  if (operation !== 'merge' && operation !== 'comment') {
    throw new Error(
      `GitHub target: operation must be merge or comment; came ${JSON.stringify(operation)}. Name what the target is to do; one that does both is two targets.`,
    );
  }
  settings.refuseUnknown(`options of ${operation}`, options, optionNames[operation]);
  const count = (name: string, unless: number, least: number, most = longestTimerMs) =>
    settings.readCount(options, { name, unless, least, most });
  const clientTimeoutMs = count('clientTimeoutMs', defaultClientTimeoutMs, 1);
  const lagMs = count('lagMs', defaultLagMs, 0);
  return operation === 'merge'
    ? {
        operation,
        clientTimeoutMs,
        lagMs,
        landingBoundMs: count('landingBoundMs', defaultLandingBoundMs, 0),
      }
    : {
        operation,
        clientTimeoutMs,
        lagMs,
        pageSize: count('pageSize', maxPageSize, 1, maxPageSize),
      };
}

/** A repository of GitHub, by the names it is reached under. */
export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

export interface Credentials {
  readonly token: string;
  readonly repository: Repository;
}

/** Messages name fields, never values: one of them is the token. */
export function parseCredentials(credentials: JsonObject): Credentials {
  settings.refuseUnknown('credentials', credentials, ['token', 'repository']);
  const { token, repository } = credentials;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(
      'GitHub target: credentials.token must be printable ASCII without spaces; came something else. Pass the token as a string.',
    );
  }
  const parsed = typeof repository === 'string' ? parseRepository(repository) : null;
  if (parsed === null || String(repository).includes(token)) {
    throw new Error(
      'GitHub target: credentials.repository must be owner/name; came something else, or something that contains the token. Pass the repository that effects are made in.',
    );
  }
  return { token, repository: parsed };
}

/** Null for what is no `owner/name`, such as one that would lead to another path. */
export function parseRepository(text: string): Repository | null {
  const [owner, repo, ...more] = text.split('/');
  const isName = (name: string | undefined): name is string =>
    name !== undefined && /^[\w.-]{1,100}$/.test(name) && !/^\.+$/.test(name);
  return isName(owner) && isName(repo) && more.length === 0 ? { owner, repo } : null;
}

/** GitHub takes names in any case for the same repository, and so does a decision. */
export function nameOf({ owner, repo }: Repository): string {
  return `${owner}/${repo}`.toLowerCase();
}

export function requireHttp(endpoint: Endpoint): void {
  settings.requireHttp(endpoint, "GitHub's API speaks HTTP only.");
}

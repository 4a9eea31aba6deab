/**
 * What an answer of GitHub says, or null where it is not the answer to what was asked: another status,
 * another shape, another repository, another number. Reads nothing itself.
 */
import type { Reply } from './client.ts';
import { nameOf, type Repository } from './configuration.ts';

export interface Pull {
  readonly headSha: string;
  readonly baseRef: string;
  readonly draft: boolean;
  readonly state: 'open' | 'closed';
  /** Null when it is not merged: what GitHub calls the merge's commit is then a trial of its own. */
  readonly merged: { readonly sha: string; readonly by: string | null } | null;
}

export function readPull(reply: Reply, repository: Repository, pullNumber: number): Pull | null {
  const { status, body } = reply;
  if (status !== 200 || !isRecord(body) || body.number !== pullNumber) return null;
  const { head, base, draft, state, merged } = body;
  if (!isRecord(head) || !isRecord(base) || !isRecord(base.repo)) return null;
  if (!isNameOf(base.repo.full_name, repository)) return null;
  if (!isSha(head.sha) || typeof base.ref !== 'string' || typeof draft !== 'boolean') return null;
  if ((state !== 'open' && state !== 'closed') || typeof merged !== 'boolean') return null;
  const facts = { headSha: head.sha, baseRef: base.ref, draft, state } as const;
  if (!merged) return { ...facts, merged: null };
  const { merge_commit_sha: sha, merged_by: by } = body;
  if (!isSha(sha)) return null;
  return { ...facts, merged: { sha, by: isRecord(by) ? String(by.login) : null } };
}

/** The message of the commit that was asked for. */
export function readMessage({ status, body }: Reply, sha: string): string | null {
  if (status !== 200 || !isRecord(body) || body.sha !== sha || !isRecord(body.commit)) return null;
  const { message } = body.commit;
  return typeof message === 'string' ? message : null;
}

export interface Issue {
  readonly state: string;
  readonly title: string;
  /** How many comments GitHub counts. */
  readonly comments: number;
}

export function readIssue(
  { status, body }: Reply,
  repository: Repository,
  issueNumber: number,
): Issue | null {
  if (status !== 200 || !isRecord(body) || body.number !== issueNumber) return null;
  const { repository_url: at, state, title, comments } = body;
  if (typeof at !== 'string' || !at.toLowerCase().endsWith(`/repos/${nameOf(repository)}`)) {
    return null;
  }
  if (typeof state !== 'string' || typeof title !== 'string') return null;
  return isCount(comments) ? { state, title, comments } : null;
}

export interface Comment {
  readonly id: string;
  readonly body: string;
}

export function readComment(
  value: unknown,
  repository: Repository,
  issueNumber: number,
): Comment | null {
  if (!isRecord(value)) return null;
  const { id, body, issue_url: issue } = value;
  const place = `/repos/${nameOf(repository)}/issues/${issueNumber}`;
  if (typeof issue !== 'string' || !issue.toLowerCase().endsWith(place)) return null;
  // The client reads a number that is too long to be exact as a bigint.
  const isId = isCount(id) || typeof id === 'bigint';
  return isId && typeof body === 'string' ? { id: String(id), body } : null;
}

/** What GitHub says of a request it turns down. The same status from something in between has no such body. */
export function readFailure({ body }: Reply): string | null {
  if (!isRecord(body)) return null;
  const { message, documentation_url: documentation } = body;
  return typeof message === 'string' && typeof documentation === 'string' ? message : null;
}

export function isSha(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNameOf(value: unknown, repository: Repository): boolean {
  return typeof value === 'string' && value.toLowerCase() === nameOf(repository);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

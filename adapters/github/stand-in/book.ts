/**
 * What GitHub knows of a repository besides git: pull requests, issues and their comments. In: what is
 * opened, merged, written and deleted. Out: the same. A comment that was deleted stays here, for the
 * journal.
 */
import { performance } from 'node:perf_hooks';
import { author, type Template, type TemplatePull, type TestMerge } from './template.ts';

export interface Merged {
  readonly sha: string;
  readonly base: string;
  readonly login: string;
  readonly atMs: number;
  /** On the monotonic clock: moving the rail's clock ages nothing. */
  readonly landedMs: number;
}

export interface Pull {
  readonly headBranch: string;
  headSha: string;
  readonly draft: boolean;
  /** The newest that was made, which may be of an older head or base. */
  testMerge: TestMerge;
  /** When head or base last moved, on the monotonic clock. */
  movedMs: number;
  merged: Merged | null;
}

export interface Issue {
  readonly number: number;
  title: string;
  state: 'open' | 'closed';
  readonly login: string;
  readonly createdMs: number;
  updatedMs: number;
  closedMs: number | null;
  /** Every pull request is an issue too. */
  readonly pull: Pull | null;
}

export interface PullIssue extends Issue {
  readonly pull: Pull;
}

export interface Comment {
  readonly id: number;
  readonly issueNumber: number;
  readonly login: string;
  readonly body: string;
  readonly createdMs: number;
  readonly landedMs: number;
  deleted: boolean;
}

export interface Issued {
  readonly login: string;
  readonly nowMs: number;
}

/** Ids are given out before a comment can be seen, and not every one is used. */
const idsBetweenComments = 1000;

export class Book {
  readonly #issues = new Map<number, Issue>();
  /** In the order in which they landed. */
  readonly #comments: Comment[] = [];
  readonly #firstCommentId: number;

  /** `firstCommentId` keeps the comments of several repositories apart. */
  constructor({ pulls }: Template, firstCommentId: number) {
    this.#firstCommentId = firstCommentId;
    for (const pull of pulls) this.#open(pull.number, pull.title, toPull(pull));
    for (const number of Object.values(issueNumbers)) this.#open(number, `Issue ${number}`, null);
  }

  issue(number: number): Issue | null {
    return this.#issues.get(number) ?? null;
  }

  pull(number: number): PullIssue | null {
    const issue = this.#issues.get(number);
    return issue !== undefined && isPull(issue) ? issue : null;
  }

  openPulls(): readonly PullIssue[] {
    return [...this.#issues.values()].filter(isPull).filter(({ state }) => state === 'open');
  }

  pullMergedAs(sha: string): PullIssue | null {
    return (
      [...this.#issues.values()].filter(isPull).find(({ pull }) => pull.merged?.sha === sha) ?? null
    );
  }

  /** All that ever were, in the order in which they landed. */
  everyComment(): readonly Comment[] {
    return this.#comments;
  }

  /** Those that stand, by ascending id. */
  commentsOf(issueNumber: number): readonly Comment[] {
    return this.#comments
      .filter((comment) => comment.issueNumber === issueNumber && !comment.deleted)
      .sort((one, other) => one.id - other.id);
  }

  comment(id: number): Comment | null {
    return this.#comments.find((comment) => comment.id === id && !comment.deleted) ?? null;
  }

  addComment(issueNumber: number, body: string, { login, nowMs }: Issued): Comment {
    const id = this.#firstCommentId + (this.#comments.length + 1) * idsBetweenComments;
    return this.#add({ id, issueNumber, body, login, createdMs: nowMs });
  }

  /** One that got its id before another and can be seen only after it. */
  addCommentBefore({ id, issueNumber }: Comment, body: string, { login, nowMs }: Issued): Comment {
    let free = id - 1;
    while (this.#comments.some((comment) => comment.id === free)) free -= 1;
    return this.#add({ id: free, issueNumber, body, login, createdMs: nowMs });
  }

  #add(written: Omit<Comment, 'landedMs' | 'deleted'>): Comment {
    const comment = { ...written, landedMs: performance.now(), deleted: false };
    this.#comments.push(comment);
    const issue = this.#issues.get(comment.issueNumber);
    if (issue !== undefined) issue.updatedMs = comment.createdMs;
    return comment;
  }

  #open(number: number, title: string, pull: Pull | null): void {
    const { login, atMs } = author;
    const times = { createdMs: atMs, updatedMs: atMs, closedMs: null };
    this.#issues.set(number, { number, title, state: 'open', login, ...times, pull });
  }
}

/** The issue that examples are about, and one that they are not. */
export const issueNumbers = { example: 6, other: 7 };

function toPull({ headBranch, headSha, draft, testMerge }: TemplatePull): Pull {
  const movedMs = Number.NEGATIVE_INFINITY;
  return { headBranch, headSha, draft, testMerge, movedMs, merged: null };
}

function isPull(issue: Issue): issue is PullIssue {
  return issue.pull !== null;
}

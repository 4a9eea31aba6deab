/**
 * Pull requests as they are read, and what is worked out about them. In: reads of them, and branches
 * that move. Out: answers, and test merges: GitHub merges each open pull request on a branch of its own
 * to see whether it can be merged, some time after its head or base has moved.
 */
import { performance } from 'node:perf_hooks';
import type { ServedAnswer } from '../../whole-request-server.ts';
import { answerError, answerJson, answerNotFound, answerNothing, pages } from './answer.ts';
import type { PullIssue } from './book.ts';
import type { Parts } from './parts.ts';
import { renderCommit, renderPull, renderRef } from './render.ts';
import type { Site } from './render-repository.ts';
import {
  baseBranch,
  baseRef,
  branchRef,
  pullHeadRef,
  pullMergeRef,
  type TestMerge,
  testMergeMessage,
} from './template.ts';

export interface Reading {
  readonly site: Site;
  /** On the monotonic clock: what landed later is not shown. */
  readonly visibleUntilMs: number;
}

export class Pulls {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async answerPull(number: number, { site, visibleUntilMs }: Reading): Promise<ServedAnswer> {
    const { book } = this.#parts;
    const issue = book.pull(number);
    if (issue === null) return answerNotFound();
    const isMerged = isVisible(issue, visibleUntilMs);
    const view = {
      issue,
      baseSha: issue.pull.merged?.base ?? (await this.baseTip()),
      isMerged,
      mergeable: issue.pull.merged === null ? await this.#mergeable(issue) : true,
      comments: book.commentsOf(number).length,
    };
    return answerJson(200, renderPull(site, view));
  }

  answerMerged(number: number, { visibleUntilMs }: Reading): ServedAnswer {
    const issue = this.#parts.book.pull(number);
    return issue !== null && isVisible(issue, visibleUntilMs)
      ? answerNothing()
      : answerNotFound(pages.merge);
  }

  async answerCommit(name: string, site: Site): Promise<ServedAnswer> {
    const { repository } = this.#parts;
    const isId = /^[0-9a-f]{40}$/.test(name);
    const oid = isId ? name : await repository.tip(branchRef(name.replace(/^heads\//, '')));
    const commit = oid === null ? null : await repository.find(oid);
    return commit === null
      ? answerError(422, `No commit found for SHA: ${name}`, pages.commit)
      : answerJson(200, renderCommit(site, commit));
  }

  async answerRef(name: string, site: Site): Promise<ServedAnswer> {
    const ref = `refs/${name}`;
    const sha = await this.#parts.repository.tip(ref);
    return sha === null ? answerNotFound(pages.ref) : answerJson(200, renderRef(site, ref, sha));
  }

  async deleteRef(name: string): Promise<ServedAnswer> {
    const { repository, book, now } = this.#parts;
    if (name === `heads/${baseBranch}`) {
      return answerError(422, 'Cannot delete the default branch', pages.ref);
    }
    if ((await repository.tip(`refs/${name}`)) === null) {
      return answerError(422, 'Reference does not exist', pages.ref);
    }
    await repository.deleteRef(`refs/${name}`);
    // GitHub closes what has lost its head.
    for (const issue of book.openPulls()) {
      if (`heads/${issue.pull.headBranch}` === name) close(issue, now());
    }
    return answerNothing();
  }

  /** The newest test merge, made now where head or base has moved since the last. */
  async testMergeOf({ pull, number }: PullIssue): Promise<TestMerge> {
    const { repository, now } = this.#parts;
    const base = await this.baseTip();
    const head = pull.headSha;
    if (pull.testMerge.base === base && pull.testMerge.head === head) return pull.testMerge;
    const message = testMergeMessage(head, base);
    const by = { login: 'web-flow', atMs: now() };
    const commit = await repository.merge({ ours: base, theirs: head, message, by });
    if (commit !== null) repository.moveRef(pullMergeRef(number), commit.oid);
    pull.testMerge = { base, head, commit };
    return pull.testMerge;
  }

  /** Somebody pushes: the branch is at that commit from now on, wherever it was before. */
  moveBranch(branch: string, sha: string): void {
    const { repository, book, now } = this.#parts;
    repository.moveRef(branchRef(branch), sha);
    for (const issue of book.openPulls()) {
      const { pull, number } = issue;
      const isHead = pull.headBranch === branch;
      if (!isHead && branch !== baseBranch) continue;
      pull.movedMs = performance.now();
      if (!isHead) continue;
      repository.moveRef(pullHeadRef(number), sha);
      pull.headSha = sha;
      issue.updatedMs = now();
    }
  }

  async baseTip(): Promise<string> {
    const tip = await this.#parts.repository.tip(baseRef);
    if (tip !== null) return tip;
    throw new Error(
      `GitHub rail: expected ${baseRef} in ${this.#parts.repository.gitdir}; it is not there. Open another namespace.`,
    );
  }

  async #mergeable(issue: PullIssue): Promise<boolean | null> {
    if (issue.state === 'closed') return null;
    if (performance.now() - issue.pull.movedMs < this.#parts.lagMs) return null;
    return (await this.testMergeOf(issue)).commit !== null;
  }
}

export function close(issue: PullIssue, atMs: number): void {
  issue.state = 'closed';
  issue.closedMs = atMs;
  issue.updatedMs = atMs;
}

function isVisible({ pull: { merged } }: PullIssue, visibleUntilMs: number): boolean {
  return merged !== null && merged.landedMs <= visibleUntilMs;
}

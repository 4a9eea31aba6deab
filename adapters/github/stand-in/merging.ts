/**
 * The merging of a pull request. In: who asks, for which head and how. Out: the base branch moved to a
 * commit that says who merged, or why not. Source: docs.github.com/rest/pulls/pulls#merge-a-pull-request;
 * the words of the variants of 405 are as integrations report them.
 *
 * The committer of what is merged here is who merged it, so that the journal can be read from git alone;
 * GitHub's own is `web-flow` for all but a rebase.
 */
import { performance } from 'node:perf_hooks';
import type { ServedAnswer } from '../../whole-request-server.ts';
import type { WorkItem } from '../../work-in-hand.ts';
import { answerError, answerJson, answerNotFound, answerServerError, pages } from './answer.ts';
import type { PullIssue } from './book.ts';
import type { Signature } from './git-repository.ts';
import type { MergeBody } from './parse-body.ts';
import type { Actor, Parts } from './parts.ts';
import { close, type Pulls } from './pulls.ts';
import { baseBranch, baseRef, branchRef, type TestMerge } from './template.ts';

export interface MergeRequest {
  readonly number: number;
  readonly body: MergeBody;
  readonly actor: Actor;
  readonly life: WorkItem['life'];
}

/** What a test merge has shown to go together. */
interface Tested extends Pick<TestMerge, 'base' | 'head'> {
  readonly tree: string;
}

export class Merging {
  readonly #parts: Parts;
  readonly #pulls: Pulls;
  /** The pull requests that are being merged at this moment. */
  readonly #underWay = new Set<number>();

  constructor(parts: Parts, pulls: Pulls) {
    this.#parts = parts;
    this.#pulls = pulls;
  }

  async merge(request: MergeRequest): Promise<ServedAnswer> {
    const issue = this.#parts.book.pull(request.number);
    if (issue === null) return answerNotFound(pages.merge);
    await this.#parts.faults.pass(request.actor);
    if (this.#underWay.has(request.number)) return refuse('Merge already in progress');
    this.#underWay.add(request.number);
    try {
      return await this.#parts.repository.alone(() => this.#mergeAlone(issue, request));
    } finally {
      this.#underWay.delete(request.number);
    }
  }

  async #mergeAlone(issue: PullIssue, request: MergeRequest): Promise<ServedAnswer> {
    const { life, actor, body } = request;
    // Read after a restart by nobody, and after a closing by whoever still waits.
    if (life.aborted) return answerServerError(502);
    const refusal = whyNot(issue, body);
    if (refusal !== null) return refusal;
    const test = await this.#pulls.testMergeOf(issue);
    if (test.commit === null) return refuse('Pull Request is not mergeable');
    const sha = await this.#write(issue, { ...test, tree: test.commit.tree }, request);
    if (sha === null) return refuse('Pull Request is not mergeable');
    if (life.aborted) return answerServerError(502);
    this.#land(issue, { sha, base: test.base, actor });
    if (this.#parts.faults.meet(actor, 'half-done') !== null) return answerServerError(502);
    await this.#follow(issue, { sha, base: test.base });
    return answerJson(200, { sha, merged: true, message: 'Pull Request successfully merged' });
  }

  /** At once: the branch moves and the pull request is merged, or neither. */
  #land(
    issue: PullIssue,
    { sha, base, actor }: { readonly sha: string; readonly base: string; readonly actor: Actor },
  ): void {
    const { logins, now } = this.#parts;
    const atMs = now();
    issue.pull.merged = { sha, base, login: logins[actor], atMs, landedMs: performance.now() };
    close(issue, atMs);
    this.#pulls.moveBranch(baseBranch, sha);
  }

  /** What GitHub does after a merge, and has left undone when it fails in between. */
  async #follow(
    { number, pull: { headBranch } }: PullIssue,
    { sha, base }: { readonly sha: string; readonly base: string },
  ): Promise<void> {
    const { repository, tell } = this.#parts;
    const ref = branchRef(headBranch);
    tell({ event: 'push', payload: { ref: baseRef, before: base, after: sha } });
    tell({ event: 'pull_request', payload: { action: 'closed', number, merged: true } });
    if ((await repository.tip(ref)) === null) return;
    await repository.deleteRef(ref);
    tell({ event: 'delete', payload: { ref: headBranch, ref_type: 'branch' } });
  }

  /** Null where it can't be done in this way. */
  async #write(issue: PullIssue, test: Tested, request: MergeRequest): Promise<string | null> {
    const { repository, logins, now } = this.#parts;
    const by: Signature = { login: logins[request.actor], atMs: now() };
    const { tree } = test;
    const { method } = request.body;
    switch (method) {
      case 'merge': {
        const message = messageOfMerge(issue, request.body);
        const parents = [test.base, test.head];
        return repository.write({ tree, parents, message, author: by, committer: by });
      }
      case 'squash': {
        const message = await this.#messageOfSquash(issue, test, request.body);
        const author = { ...by, login: issue.login };
        return repository.write({ tree, parents: [test.base], message, author, committer: by });
      }
      case 'rebase':
        return this.#replay(test, by);
      default:
        return method satisfies never;
    }
  }

  /** Each commit again on top of the base, with its own author and words: nothing of the request is in them. */
  async #replay({ base, head }: Tested, by: Signature): Promise<string | null> {
    const { repository } = this.#parts;
    let tip = base;
    for (const { oid, message, author } of await repository.commitsBeyond(base, head)) {
      const merged = await repository.merge({ ours: base, theirs: oid, message, by });
      if (merged === null) return null;
      const parents = [tip];
      tip = await repository.write({ tree: merged.tree, parents, message, author, committer: by });
    }
    return tip;
  }

  async #messageOfSquash(
    { title, number }: PullIssue,
    { base, head }: Tested,
    asked: MergeBody,
  ): Promise<string> {
    const commits = await this.#parts.repository.commitsBeyond(base, head);
    const listed = commits.map(({ message }) => `* ${message.trimEnd()}`).join('\n\n');
    return join(asked.title ?? `${title} (#${number})`, asked.message ?? listed);
  }
}

function whyNot({ pull, state }: PullIssue, { sha }: MergeBody): ServedAnswer | null {
  if (pull.merged !== null || state === 'closed') return refuse('Pull Request is not mergeable');
  if (pull.draft) return refuse('Pull Request is still a draft');
  if (sha === null || sha === pull.headSha) return null;
  const message = 'Head branch was modified. Review and try the merge again.';
  return answerError(409, message, pages.merge);
}

function messageOfMerge({ title, number, pull }: PullIssue, asked: MergeBody): string {
  const own = `Merge pull request #${number} from ${pull.headBranch}`;
  return join(asked.title ?? own, asked.message ?? title);
}

function join(title: string, message: string): string {
  return message === '' ? title : `${title}\n\n${message}`;
}

function refuse(message: string): ServedAnswer {
  return answerError(405, message, pages.merge);
}

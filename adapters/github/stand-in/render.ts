/** What is in a repository as GitHub shows it. In: what the book and git know. Out: JSON. */
import type { Comment, Issue, PullIssue } from './book.ts';
import type { Commit, Signature } from './git-repository.ts';
import {
  apiUrl,
  identify,
  renderRepository,
  renderTime,
  renderTimes,
  renderUser,
  type Site,
  webUrl,
} from './render-repository.ts';
import { baseBranch } from './template.ts';

export interface PullView {
  readonly issue: PullIssue;
  readonly baseSha: string;
  /** Whether what is shown is already merged. */
  readonly isMerged: boolean;
  /** Null: GitHub is still working it out. */
  readonly mergeable: boolean | null;
  readonly comments: number;
}

export function renderPull(site: Site, view: PullView): object {
  const { issue, isMerged, mergeable } = view;
  const { number, pull } = issue;
  const url = apiUrl(site, `/pulls/${number}`);
  const html = webUrl(site, `/pull/${number}`);
  const merged = isMerged ? pull.merged : null;
  const closedMs = merged === null && pull.merged !== null ? null : issue.closedMs;
  return {
    url,
    ...identify(url),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: apiUrl(site, `/issues/${number}`),
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: apiUrl(site, '/pulls/comments{/number}'),
    comments_url: apiUrl(site, `/issues/${number}/comments`),
    statuses_url: apiUrl(site, `/statuses/${pull.headSha}`),
    number,
    state: closedMs === null ? 'open' : 'closed',
    locked: false,
    title: issue.title,
    user: renderUser(site, issue.login),
    body: null,
    ...renderTimes(issue.createdMs, issue.updatedMs),
    closed_at: renderMaybe(closedMs),
    merged_at: renderMaybe(merged?.atMs ?? null),
    // Until it is merged, that of the newest test merge, however old its head and base.
    merge_commit_sha: merged?.sha ?? pull.testMerge.commit?.oid ?? null,
    ...nobody,
    labels: [],
    draft: pull.draft,
    head: renderSide(site, pull.headBranch, pull.headSha),
    base: renderSide(site, baseBranch, view.baseSha),
    _links: renderLinks({ url, html, site, view }),
    author_association: 'MEMBER',
    auto_merge: null,
    merged: isMerged,
    mergeable: isMerged ? null : mergeable,
    rebaseable: isMerged ? null : mergeable,
    mergeable_state: stateOf(view),
    merged_by: merged === null ? null : renderUser(site, merged.login),
    comments: view.comments,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: 1,
    additions: 1,
    deletions: 0,
    changed_files: 1,
  };
}

export function renderIssue(site: Site, issue: Issue, comments: number): object {
  const { number, pull } = issue;
  const url = apiUrl(site, `/issues/${number}`);
  const kind = pull === null ? 'issues' : 'pull';
  const html = webUrl(site, `/${kind}/${number}`);
  return {
    url,
    ...identify(url),
    repository_url: apiUrl(site),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: html,
    number,
    title: issue.title,
    user: renderUser(site, issue.login),
    labels: [],
    state: issue.state,
    locked: false,
    ...nobody,
    comments,
    ...renderTimes(issue.createdMs, issue.updatedMs),
    closed_at: renderMaybe(issue.closedMs),
    author_association: 'MEMBER',
    body: null,
    ...(pull !== null && {
      pull_request: {
        url: apiUrl(site, `/pulls/${number}`),
        html_url: html,
        diff_url: `${html}.diff`,
        patch_url: `${html}.patch`,
        merged_at: renderMaybe(pull.merged?.atMs ?? null),
      },
    }),
  };
}

export function renderComment(site: Site, comment: Comment): object {
  const { id, issueNumber, login, body, createdMs } = comment;
  return {
    url: apiUrl(site, `/issues/comments/${id}`),
    html_url: webUrl(site, `/issues/${issueNumber}#issuecomment-${id}`),
    issue_url: apiUrl(site, `/issues/${issueNumber}`),
    ...identify(`comment ${id}`),
    id,
    user: renderUser(site, login),
    ...renderTimes(createdMs),
    author_association: 'MEMBER',
    body,
  };
}

export function renderCommit(site: Site, { oid, tree, parents, ...commit }: Commit): object {
  const url = apiUrl(site, `/commits/${oid}`);
  const verification = { verified: false, reason: 'unsigned', signature: null, payload: null };
  return {
    url,
    sha: oid,
    node_id: identify(oid).node_id,
    html_url: webUrl(site, `/commit/${oid}`),
    comments_url: `${url}/comments`,
    commit: {
      url: apiUrl(site, `/git/commits/${oid}`),
      author: renderSignature(commit.author),
      committer: renderSignature(commit.committer),
      // GitHub leaves out the line end that git puts there.
      message: commit.message.replace(/\n+$/, ''),
      comment_count: 0,
      tree: { sha: tree, url: apiUrl(site, `/git/trees/${tree}`) },
      verification: { ...verification, verified_at: null },
    },
    author: renderUser(site, commit.author.login),
    committer: renderUser(site, commit.committer.login),
    parents: parents.map((sha) => ({
      sha,
      url: apiUrl(site, `/commits/${sha}`),
      html_url: webUrl(site, `/commit/${sha}`),
    })),
  };
}

export function renderRef(site: Site, ref: string, sha: string): object {
  return {
    ref,
    node_id: identify(ref).node_id,
    url: apiUrl(site, `/git/${ref}`),
    object: { type: 'commit', sha, url: apiUrl(site, `/git/commits/${sha}`) },
  };
}

const nobody = { assignee: null, assignees: [], milestone: null };

function renderSide(site: Site, branch: string, sha: string): object {
  const { owner } = site.name;
  return {
    label: `${owner}:${branch}`,
    ref: branch,
    sha,
    user: renderUser(site, owner),
    repo: renderRepository(site),
  };
}

interface Linked {
  readonly url: string;
  readonly html: string;
  readonly site: Site;
  readonly view: PullView;
}

function renderLinks({ url, html, site, view: { issue } }: Linked): object {
  const links = {
    self: url,
    html,
    issue: apiUrl(site, `/issues/${issue.number}`),
    comments: apiUrl(site, `/issues/${issue.number}/comments`),
    review_comments: `${url}/comments`,
    review_comment: apiUrl(site, '/pulls/comments{/number}'),
    commits: `${url}/commits`,
    statuses: apiUrl(site, `/statuses/${issue.pull.headSha}`),
  };
  return Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }]));
}

function stateOf({ issue, isMerged, mergeable }: PullView): string {
  if (isMerged || mergeable === null) return 'unknown';
  if (issue.pull.draft) return 'draft';
  return mergeable ? 'clean' : 'dirty';
}

function renderSignature({ login, atMs }: Signature): object {
  return { name: login, email: `${login}@users.noreply.github.com`, date: renderTime(atMs) };
}

function renderMaybe(atMs: number | null): string | null {
  return atMs === null ? null : renderTime(atMs);
}

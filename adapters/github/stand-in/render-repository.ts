/** Repositories and users as GitHub shows them: mostly addresses. In: names. Out: JSON. */
import { createHash } from 'node:crypto';
import type { RepositoryName } from './place.ts';
import { author, baseBranch } from './template.ts';

/** Where the API is reached, without a slash at the end. */
export interface Site {
  readonly api: string;
  readonly name: RepositoryName;
}

const repositoryPaths = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
};

const userPaths = {
  events_url: '/events{/privacy}',
  followers_url: '/followers',
  following_url: '/following{/other_user}',
  gists_url: '/gists{/gist_id}',
  organizations_url: '/orgs',
  received_events_url: '/received_events',
  repos_url: '/repos',
  starred_url: '/starred{/owner}{/repo}',
  subscriptions_url: '/subscriptions',
};

export function apiUrl({ api, name: { owner, repo } }: Site, path = ''): string {
  return `${api}/repos/${owner}/${repo}${path}`;
}

export function webUrl({ api, name: { owner, repo } }: Site, path = ''): string {
  return `${api}/${owner}/${repo}${path}`;
}

export function renderRepository(site: Site) {
  const { owner, repo } = site.name;
  const full = `${owner}/${repo}`;
  const html = webUrl(site);
  const times = renderTimes(author.atMs);
  return {
    ...identify(full),
    name: repo,
    full_name: full,
    private: true,
    owner: renderUser(site, owner),
    html_url: html,
    description: null,
    fork: false,
    url: apiUrl(site),
    ...expand(apiUrl(site), repositoryPaths),
    ...times,
    pushed_at: times.updated_at,
    git_url: `git://github.com/${full}.git`,
    ssh_url: `git@github.com:${full}.git`,
    clone_url: `${html}.git`,
    svn_url: html,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    ...zero('size', 'stargazers_count', 'watchers_count', 'forks_count', 'forks', 'watchers'),
    ...zero('open_issues_count', 'open_issues', 'network_count', 'subscribers_count'),
    has_issues: true,
    ...no('has_projects', 'has_downloads', 'has_wiki', 'has_pages', 'has_discussions'),
    ...no('archived', 'disabled', 'is_template', 'allow_forking', 'allow_auto_merge'),
    visibility: 'private',
    default_branch: baseBranch,
    allow_merge_commit: true,
    allow_squash_merge: true,
    allow_rebase_merge: true,
    delete_branch_on_merge: true,
  };
}

export function renderUser({ api }: Site, login: string) {
  const url = `${api}/users/${login}`;
  return {
    login,
    ...identify(login),
    avatar_url: `${api}/avatars/${login}`,
    gravatar_id: '',
    url,
    html_url: `${api}/${login}`,
    ...expand(url, userPaths),
    type: 'User',
    site_admin: false,
  };
}

/** A number and a name that are the same each time it is shown. */
export function identify(name: string): { readonly id: number; readonly node_id: string } {
  const digest = createHash('sha256').update(name).digest();
  return { id: digest.readUInt32BE(0), node_id: `KP_${digest.toString('base64url', 4, 16)}` };
}

export function renderTimes(createdMs: number, updatedMs = createdMs) {
  return { created_at: renderTime(createdMs), updated_at: renderTime(updatedMs) };
}

/** GitHub shows whole seconds. */
export function renderTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

function expand<Name extends string>(
  base: string,
  paths: Readonly<Record<Name, string>>,
): Record<Name, string> {
  const entries = Object.entries<string>(paths).map(([name, path]) => [name, `${base}${path}`]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

function zero<Name extends string>(...names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

function no<Name extends string>(...names: readonly Name[]): Record<Name, boolean> {
  return Object.fromEntries(names.map((name) => [name, false])) as Record<Name, boolean>;
}

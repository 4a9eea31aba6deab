/**
 * The repository every namespace begins with, made once: pull requests that touch a file each. In: an
 * empty folder. Out: the files of a bare repository, to be written wherever one is needed.
 */

import * as fs from 'node:fs';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import git from 'isomorphic-git';
import { GitRepository, type Signature } from './git-repository.ts';

export const baseBranch = 'main';
export const baseRef = `refs/heads/${baseBranch}`;

export interface TestMerge {
  readonly base: string;
  readonly head: string;
  /** Null where the two conflict. */
  readonly commit: { readonly oid: string; readonly tree: string } | null;
}

export interface TemplatePull {
  readonly number: number;
  readonly title: string;
  readonly headBranch: string;
  readonly headSha: string;
  readonly draft: boolean;
  readonly testMerge: TestMerge;
}

export interface Template {
  readonly pulls: readonly TemplatePull[];
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
}

/** Who opened everything: neither the subject nor the person whose token people act with. */
export const author: Signature = { login: 'octo-author', atMs: Date.UTC(2026, 0, 5, 9) };

/** The fourth conflicts with the second once that is merged; the fifth is a draft. */
const plannedPulls = [
  { number: 1, path: 'one.txt', draft: false },
  { number: 2, path: 'two.txt', draft: false },
  { number: 3, path: 'three.txt', draft: false },
  { number: 4, path: 'two.txt', draft: false },
  { number: 5, path: 'five.txt', draft: true },
];

export function pullHeadRef(number: number): string {
  return `refs/pull/${number}/head`;
}

export function pullMergeRef(number: number): string {
  return `refs/pull/${number}/merge`;
}

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`;
}

export function testMergeMessage(head: string, base: string): string {
  return `Merge ${head} into ${base}`;
}

export async function buildTemplate(gitdir: string): Promise<Template> {
  mkdirSync(gitdir, { recursive: true });
  await git.init({ fs, gitdir, bare: true, defaultBranch: baseBranch });
  const repository = new GitRepository(gitdir);
  const readme = { path: 'README.md', text: 'A project.\n' };
  const base = await repository.writeFile(null, readme, author);
  const pulls: TemplatePull[] = [];
  for (const planned of plannedPulls) pulls.push(await openPull(repository, base, planned));
  const refs = [
    [baseRef, base],
    ...pulls.flatMap(({ number, headBranch, headSha, testMerge }) => [
      [branchRef(headBranch), headSha],
      [pullHeadRef(number), headSha],
      [pullMergeRef(number), testMerge.commit?.oid ?? headSha],
    ]),
  ];
  const lines = refs.map(([ref, oid]) => `${oid} ${ref}\n`).sort(byRef);
  writeFileSync(
    join(gitdir, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`,
  );
  await pack(gitdir);
  return { pulls, files: readFiles(gitdir) };
}

/** A bare repository of its own: nothing is shared with any other. */
export function writeTemplate({ files }: Template, gitdir: string): void {
  const folders = new Set(files.map(({ path }) => dirname(path)));
  for (const folder of [...folders, 'refs/heads', 'refs/pull']) {
    mkdirSync(join(gitdir, folder), { recursive: true });
  }
  for (const { path, content } of files) writeFileSync(join(gitdir, path), content);
}

async function openPull(
  repository: GitRepository,
  base: string,
  { number, path, draft }: (typeof plannedPulls)[number],
): Promise<TemplatePull> {
  const title = `Change ${number}`;
  const file = { path, text: `${title}.\n` };
  const headSha = await repository.writeFile(base, file, author);
  const commit = await repository.merge({
    ours: base,
    theirs: headSha,
    message: testMergeMessage(headSha, base),
    by: author,
  });
  const testMerge = { base, head: headSha, commit };
  return { number, title, headBranch: `change-${number}`, headSha, draft, testMerge };
}

/** Puts all objects into one file, so that a repository is few files to write and to remove. */
async function pack(gitdir: string): Promise<void> {
  const objects = join(gitdir, 'objects');
  const folders = readdirSync(objects).filter((name) => name.length === 2);
  const oids = folders.flatMap((folder) =>
    readdirSync(join(objects, folder)).map((rest) => `${folder}${rest}`),
  );
  const { filename } = await git.packObjects({ fs, gitdir, oids, write: true });
  const filepath = `objects/pack/${filename}`;
  await git.indexPack({ fs, dir: gitdir, gitdir, filepath });
  for (const folder of folders) rmSync(join(objects, folder), { recursive: true });
}

function readFiles(gitdir: string): Template['files'] {
  return readdirSync(gitdir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(gitdir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path: relative(gitdir, path), content: readFileSync(path) }));
}

function byRef(one: string, other: string): number {
  return one.slice(41) < other.slice(41) ? -1 : 1;
}

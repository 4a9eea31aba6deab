/**
 * A bare git repository in a folder. In: commits to write, branches to move. Out: what is in it.
 *
 * Every call that touches it goes through `alone`, one after the other. The only thing that takes
 * effect is `moveRef`, which is done when it returns: nothing comes between a test and it.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import git from 'isomorphic-git';
import { promptFiles } from './prompt-files.ts';

/** A login at a time; git itself knows whole seconds. */
export interface Signature {
  readonly login: string;
  readonly atMs: number;
}

export interface Commit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

export interface Merge {
  readonly ours: string;
  readonly theirs: string;
  readonly message: string;
  readonly by: Signature;
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
}

export class GitRepository {
  readonly gitdir: string;
  /** What a commit's id names never changes. */
  readonly #commits = new Map<string, Commit>();
  /** Where the library keeps what it has read of packed objects. */
  readonly #cache = {};
  #last: Promise<unknown> = Promise.resolve();

  constructor(gitdir: string) {
    this.gitdir = gitdir;
  }

  /** Runs when all that was asked for before is done. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Null where there is no such ref. */
  async tip(ref: string): Promise<string | null> {
    try {
      return await git.resolveRef({ ...this.#place, ref });
    } catch (error) {
      if (error instanceof git.Errors.NotFoundError) return null;
      throw error;
    }
  }

  /** Null for an id that names no commit here. */
  async find(oid: string): Promise<Commit | null> {
    try {
      return await this.read(oid);
    } catch (error) {
      const { NotFoundError, ObjectTypeError } = git.Errors;
      if (error instanceof NotFoundError || error instanceof ObjectTypeError) return null;
      throw error;
    }
  }

  async read(oid: string): Promise<Commit> {
    const known = this.#commits.get(oid);
    if (known !== undefined) return known;
    const { commit } = await git.readCommit({ ...this.#place, oid });
    const read: Commit = {
      oid,
      tree: commit.tree,
      parents: commit.parent,
      message: commit.message,
      author: { login: commit.author.name, atMs: commit.author.timestamp * 1000 },
      committer: { login: commit.committer.name, atMs: commit.committer.timestamp * 1000 },
    };
    this.#commits.set(oid, read);
    return read;
  }

  write({ tree, parents, message, author, committer }: Omit<Commit, 'oid'>): Promise<string> {
    const commit = {
      tree,
      parent: [...parents],
      message: message.endsWith('\n') ? message : `${message}\n`,
      author: toGit(author),
      committer: toGit(committer),
    };
    return git.writeCommit({ ...this.#place, commit });
  }

  /** Commits a file more on top of a commit. */
  async writeFile(parent: string | null, file: NewFile, by: Signature): Promise<string> {
    const blob = await git.writeBlob({ ...this.#place, blob: Buffer.from(file.text) });
    const entries =
      parent === null ? [] : (await git.readTree({ ...this.#place, oid: parent })).tree;
    const entry = { mode: '100644', path: file.path, oid: blob, type: 'blob' } as const;
    const tree = await git.writeTree({
      ...this.#place,
      tree: [...entries.filter(({ path }) => path !== file.path), entry],
    });
    const parents = parent === null ? [] : [parent];
    return this.write({ tree, parents, message: file.path, author: by, committer: by });
  }

  /** Writes the commit that merges one into the other, on no branch; null where they conflict. */
  async merge({ ours, theirs, message, by }: Merge): Promise<Commit | null> {
    try {
      const { oid } = await git.merge({
        ...this.#place,
        ours,
        theirs,
        fastForward: false,
        noUpdateBranch: true,
        message,
        author: toGit(by),
        committer: toGit(by),
      });
      return oid === undefined ? null : await this.read(oid);
    } catch (error) {
      if (error instanceof git.Errors.MergeConflictError) return null;
      throw error;
    }
  }

  /** From the tip of a branch along first parents, newest first. */
  async firstParents(ref: string): Promise<readonly Commit[]> {
    const commits: Commit[] = [];
    let oid = (await this.tip(ref)) ?? undefined;
    while (oid !== undefined) {
      const commit = await this.read(oid);
      commits.push(commit);
      oid = commit.parents[0];
    }
    return commits;
  }

  /** What one commit has in its history and another has not, oldest first. */
  async commitsBeyond(base: string, head: string): Promise<readonly Commit[]> {
    const known = new Set((await git.log({ ...this.#place, ref: base })).map(({ oid }) => oid));
    const beyond = (await git.log({ ...this.#place, ref: head })).filter(
      ({ oid }) => !known.has(oid),
    );
    return Promise.all(beyond.reverse().map(({ oid }) => this.read(oid)));
  }

  moveRef(ref: string, oid: string): void {
    const path = join(this.gitdir, ref);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(`${path}.lock`, `${oid}\n`);
    fs.renameSync(`${path}.lock`, path);
  }

  async deleteRef(ref: string): Promise<void> {
    await git.deleteRef({ ...this.#place, ref });
  }

  get #place() {
    return { fs: promptFiles, gitdir: this.gitdir, cache: this.#cache };
  }
}

function toGit({ login, atMs }: Signature) {
  return {
    name: login,
    email: `${login}@users.noreply.github.com`,
    timestamp: Math.floor(atMs / 1000),
    timezoneOffset: 0,
  };
}

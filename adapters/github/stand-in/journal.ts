/**
 * What took effect in a repository. In: git for merges, the book for comments. Out: the journal, oldest
 * first. A merge is read from the history of the base branch along first parents; the book is asked only
 * which pull request a commit belongs to.
 */
import type { JournalEffect } from '../../rail.ts';
import type { Book, Comment } from './book.ts';
import type { Commit, GitRepository } from './git-repository.ts';
import { baseRef, pullHeadRef } from './template.ts';

export interface Kept {
  readonly repository: GitRepository;
  readonly book: Book;
  /** owner/name */
  readonly name: string;
  readonly subjectLogin: string;
}

export async function mergeJournal(kept: Kept): Promise<readonly JournalEffect[]> {
  const effects: JournalEffect[] = [];
  for (const commit of await kept.repository.firstParents(baseRef)) {
    const number = kept.book.pullMergedAs(commit.oid)?.number;
    if (number !== undefined) effects.push(await toMerge(kept, commit, number));
  }
  return effects.reverse();
}

export function commentJournal(kept: Kept): readonly JournalEffect[] {
  return kept.book.everyComment().map((comment) => toComment(kept, comment));
}

/** Written out here: a rail and a target share no code. */
export const markerStart = '<!-- effect-id:';
const marker = /^([\s\S]*?)\s*<!-- effect-id: (.*?) -->\s*$/;

async function toMerge(
  { repository, name, subjectLogin }: Kept,
  commit: Commit,
  number: number,
): Promise<JournalEffect> {
  const [, mergedHead] = commit.parents;
  const sha = mergedHead ?? (await repository.tip(pullHeadRef(number))) ?? '';
  const method = mergedHead === undefined ? await methodOf(repository, commit, sha) : 'merge';
  return {
    entityId: commit.oid,
    stamp: trailerOf(commit.message),
    actor: commit.committer.login === subjectLogin ? 'subject' : 'person',
    subject: `${name}#${number}`,
    substance: { sha, method },
    atMs: commit.committer.atMs,
  };
}

/** A commit that was only put elsewhere has the words it had. */
async function methodOf(
  repository: GitRepository,
  { message }: Commit,
  sha: string,
): Promise<'squash' | 'rebase'> {
  return (await repository.read(sha)).message === message ? 'rebase' : 'squash';
}

function trailerOf(message: string): string | null {
  const lastParagraph =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? '';
  return /^Effect-Id: (.+)$/m.exec(lastParagraph)?.[1] ?? null;
}

function toComment({ name, subjectLogin }: Kept, comment: Comment): JournalEffect {
  const [, text, stamp] = marker.exec(comment.body) ?? [];
  return {
    entityId: `${comment.id}`,
    stamp: stamp ?? null,
    actor: comment.login === subjectLogin ? 'subject' : 'person',
    subject: `${name}#${comment.issueNumber}`,
    substance: { body: text ?? comment.body },
    atMs: comment.createdMs,
  };
}

/** One page of an issue's comments, oldest first. */
import type { Reply } from './client.ts';
import type { Repository } from './configuration.ts';
import { type Comment, readComment } from './readings.ts';

export interface CommentPage {
  readonly comments: readonly Comment[];
  readonly hasMore: boolean;
}

/**
 * Null for anything that is not a whole page of this issue. The address of the next page is not
 * followed, only believed in: GitHub writes it with the repository's number and its own host.
 */
export function readPage(
  { status, body, link }: Reply,
  repository: Repository,
  issueNumber: number,
): CommentPage | null {
  if (status !== 200 || !Array.isArray(body)) return null;
  const comments = body.map((value) => readComment(value, repository, issueNumber));
  const hasMore = link !== null && /;\s*rel="?next"?/.test(link);
  return comments.every((comment) => comment !== null) ? { comments, hasMore } : null;
}

/** Stands in for `github/comment-page.ts`: every page is taken for the last, and a fresh comment is not on the first. */
import { type CommentPage, readPage as read } from '../github/comment-page.ts';

export * from '../github/comment-page.ts';

export function readPage(...page: Parameters<typeof read>): CommentPage | null {
  const shown = read(...page);
  return shown === null ? null : { ...shown, hasMore: false };
}

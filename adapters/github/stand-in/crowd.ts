/**
 * Comments that other people write while the subject looks for its own. In: a page that is asked for,
 * and how crowded its issue is to be. Out: comments of equal text and without a marker, written so that
 * the subject's is on a later page.
 *
 * Lists come by ascending id, and an id is given out before its comment can be seen: what is to stand
 * before the subject's comment gets an id below it. Pages are counted from the front, so that one which
 * goes there moves all that follow: a pager that has read one page then misses one on the next. Such
 * a change comes once, when a second page is first asked for; a pager that reads again misses nothing.
 */
import type { RailFault } from '../../rail.ts';
import type { Book, Comment, Issued } from './book.ts';
import type { PageQuery } from './comments.ts';
import { markerStart } from './journal.ts';

export interface Crowding {
  readonly book: Book;
  readonly issueNumber: number;
  readonly page: PageQuery;
  readonly paged: Extract<RailFault, { readonly kind: 'paged' }>;
  readonly subjectLogin: string;
  readonly by: Issued;
  /** Whether the list has changed between two pages before. */
  readonly hasChanged: boolean;
}

/** True when it changed the list between two pages. */
export function crowdList(crowding: Crowding): boolean {
  const { book, issueNumber, page, paged, subjectLogin, by } = crowding;
  const comments = book.commentsOf(issueNumber);
  const ownAt = comments.findIndex(({ login }) => login === subjectLogin);
  const own = comments[ownAt];
  if (page.page > 1) {
    const first = comments[0];
    if (!paged.changes || crowding.hasChanged || first === undefined || ownAt === 0) return false;
    first.deleted = true;
    book.addComment(issueNumber, first.body, by);
    return true;
  }
  const text = textOf(own ?? comments[0]);
  const wanted = Math.max(paged.lookAlikes, page.length);
  for (let before = own === undefined ? comments.length : ownAt; before < wanted; before += 1) {
    if (own === undefined) book.addComment(issueNumber, text, by);
    else book.addCommentBefore(own, text, by);
  }
  return false;
}

/** Without a marker. */
function textOf(comment: Comment | undefined): string {
  const body = comment?.body ?? 'Looked at.';
  const at = body.indexOf(markerStart);
  return at === -1 ? body : body.slice(0, at).trimEnd();
}

/**
 * Issues and their comments. In: reads and writes. Out: answers. Comments come by ascending id, so that
 * a fresh one is on the last page. Source: docs.github.com/rest/issues/comments.
 */
import type { ServedAnswer } from '../../whole-request-server.ts';
import type { WorkItem } from '../../work-in-hand.ts';
import { answerJson, answerNotFound, answerNothing, answerServerError, pages } from './answer.ts';
import type { Comment } from './book.ts';
import type { Actor, Parts } from './parts.ts';
import type { Reading } from './pulls.ts';
import { renderComment, renderIssue } from './render.ts';
import { apiUrl, type Site } from './render-repository.ts';

export interface CommentRequest {
  readonly number: number;
  readonly body: string;
  readonly actor: Actor;
  readonly life: WorkItem['life'];
}

const defaultPageLength = 30;
const maxPageLength = 100;

export interface PageQuery {
  readonly length: number;
  readonly page: number;
}

/** GitHub takes the nearest it allows for what it does not. */
export function readPageQuery(query: URLSearchParams): PageQuery {
  const length = readCount(query.get('per_page')) ?? defaultPageLength;
  return { length: Math.min(length, maxPageLength), page: readCount(query.get('page')) ?? 1 };
}

export class Comments {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  answerIssue(number: number, site: Site): ServedAnswer {
    const { book } = this.#parts;
    const issue = book.issue(number);
    return issue === null
      ? answerNotFound()
      : answerJson(200, renderIssue(site, issue, book.commentsOf(number).length));
  }

  setTitle(number: number, title: string, site: Site): ServedAnswer {
    const { book, now } = this.#parts;
    const issue = book.issue(number);
    if (issue === null) return answerNotFound(pages.issue);
    issue.title = title;
    issue.updatedMs = now();
    return this.answerIssue(number, site);
  }

  async create({ number, body, actor, life }: CommentRequest, site: Site): Promise<ServedAnswer> {
    const { book, faults, logins, now, tell } = this.#parts;
    if (book.issue(number) === null) return answerNotFound(pages.comment);
    await faults.pass(actor);
    // Read after a restart by nobody, and after a closing by whoever still waits.
    if (life.aborted) return answerServerError(502);
    const comment = book.addComment(number, body, { login: logins[actor], nowMs: now() });
    if (faults.meet(actor, 'half-done') !== null) return answerServerError(502);
    tell({ event: 'issue_comment', payload: { action: 'created', id: comment.id } });
    const rendered = renderComment(site, comment);
    return answerJson(201, rendered, { location: apiUrl(site, `/issues/comments/${comment.id}`) });
  }

  answerComment(id: number, site: Site): ServedAnswer {
    const comment = this.#parts.book.comment(id);
    return comment === null ? answerNotFound() : answerJson(200, renderComment(site, comment));
  }

  deleteComment(id: number): ServedAnswer {
    const comment = this.#parts.book.comment(id);
    if (comment === null) return answerNotFound();
    comment.deleted = true;
    return answerNothing();
  }

  list(number: number, query: URLSearchParams, { site, visibleUntilMs }: Reading): ServedAnswer {
    const { book } = this.#parts;
    if (book.issue(number) === null) return answerNotFound();
    const sinceMs = Date.parse(query.get('since') ?? '');
    const shown = book
      .commentsOf(number)
      .filter(({ landedMs }) => landedMs <= visibleUntilMs)
      .filter(({ createdMs }) => Number.isNaN(sinceMs) || createdMs >= sinceMs);
    return this.#answerPage({ shown, number, query, site });
  }

  /** A page with nothing on it, of a list that says it goes on. */
  answerEmptyPage(number: number, query: URLSearchParams, site: Site): ServedAnswer {
    const { page } = readPageQuery(query);
    return answerJson(200, [], { link: linkTo([[page + 1, 'next']], { number, query, site }) });
  }

  #answerPage({ shown, ...of }: Listed & { readonly shown: readonly Comment[] }): ServedAnswer {
    const { length, page } = readPageQuery(of.query);
    const rows = shown.slice((page - 1) * length, page * length);
    const last = Math.max(1, Math.ceil(shown.length / length));
    const relations: (readonly [number, string])[] = [];
    if (page > 1) relations.push([Math.min(page - 1, last), 'prev']);
    if (page < last) relations.push([page + 1, 'next'], [last, 'last']);
    if (page > 1) relations.push([1, 'first']);
    const link = linkTo(relations, of);
    return answerJson(
      200,
      rows.map((comment) => renderComment(of.site, comment)),
      link === '' ? {} : { link },
    );
  }
}

interface Listed {
  readonly number: number;
  readonly query: URLSearchParams;
  readonly site: Site;
}

function linkTo(
  relations: readonly (readonly [number, string])[],
  { number, query, site }: Listed,
): string {
  return relations
    .map(([page, relation]) => {
      const wanted = new URLSearchParams(query);
      wanted.set('page', `${page}`);
      return `<${apiUrl(site, `/issues/${number}/comments`)}?${wanted}>; rel="${relation}"`;
    })
    .join(', ');
}

function readCount(text: string | null): number | null {
  const count = /^\d{1,6}$/.test(text ?? '') ? Number(text) : 0;
  return count > 0 ? count : null;
}

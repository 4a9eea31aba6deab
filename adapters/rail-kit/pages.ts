/**
 * Pages of a list, as a service gives them and as they are read to the end. In: how it pages, and rows
 * or an answer. Out: an answer, or what to ask for next. Pure.
 */
import type { JsonObject, JsonValue } from '../target.ts';
import type { EntityDescription, ListDescription, Paging } from './description.ts';
import { fieldAt, isObject, withField } from './fields.ts';

export type Listed =
  | { readonly kind: 'page'; readonly body: JsonValue }
  | { readonly kind: 'invalid'; readonly why: string };

/** The queries that say which page is meant, and not which entities. */
export function pagingQueries({ paging }: ListDescription): readonly string[] {
  if (paging === null) return [];
  return [paging.query, ...(paging.size.query === undefined ? [] : [paging.size.query])];
}

/** Whether an answer can say that more follow where it has no rows. */
export function canClaimMore({ paging }: ListDescription): boolean {
  if (paging === null) return false;
  return paging.more !== undefined || (paging.by === 'cursor' && paging.next !== 'last-id');
}

export interface ListedRows {
  readonly list: ListDescription;
  readonly entity: EntityDescription;
  /** In the list's own order. */
  readonly rows: readonly JsonObject[];
  readonly query: URLSearchParams;
}

export function listPage({ list, entity, rows, query }: ListedRows): Listed {
  const { paging } = list;
  if (paging === null) return { kind: 'page', body: pageBody(list, rows, {}) };
  const size = readSize(paging, query);
  const start = readStart(paging, size, query.get(paging.query), { entity, rows });
  if (size === null || start === null) {
    return { kind: 'invalid', why: `${paging.query} or the size of a page can’t be read.` };
  }
  const page = rows.slice(start, start + size);
  const more = start + size < rows.length;
  return { kind: 'page', body: pageBody(list, page, { more, next: String(start + size) }) };
}

/** An empty page that says there is another; where nothing can say so, an answer without its list. */
export function emptyPageThatClaimsMore(list: ListDescription): JsonValue {
  return canClaimMore(list) ? pageBody(list, [], { more: true, next: '0' }) : {};
}

/** Null where it can't be read. */
export function readSize({ size }: Paging, query: URLSearchParams): number | null {
  const asked = size.query === undefined ? null : query.get(size.query);
  if (asked === null) return size.usual;
  const wanted = readCount(asked);
  return wanted === null || wanted < 1 ? null : Math.min(wanted, size.most);
}

function readStart(
  paging: Paging,
  size: number | null,
  asked: string | null,
  { entity, rows }: Pick<ListedRows, 'entity' | 'rows'>,
): number | null {
  if (asked === null) return 0;
  if (paging.by === 'cursor' && paging.next === 'last-id') {
    const at = rows.findIndex((row) => String(fieldAt(row, entity.id)) === asked);
    return at === -1 ? null : at + 1;
  }
  const count = readCount(asked);
  if (count === null || paging.by !== 'page') return count;
  return count < 1 ? null : (count - 1) * (size ?? 1);
}

function readCount(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function pageBody(
  { rows: place, paging }: ListDescription,
  rows: readonly JsonObject[],
  { more = false, next = '' }: { readonly more?: boolean; readonly next?: string },
): JsonValue {
  if (place === '') return rows;
  let body = withField({}, place, rows);
  if (paging?.more !== undefined) body = withField(body, paging.more, more);
  if (paging?.by === 'cursor' && paging.next !== 'last-id') {
    body = withField(body, paging.next.field, more ? next : null);
  }
  return body;
}

/** The most there is, where one can be asked for. */
export function sizeAskedFor({ size }: Paging): number {
  return size.query === undefined ? size.usual : size.most;
}

export interface ReadPage {
  readonly rows: readonly JsonObject[];
  /** The value of the paging's query for the next page; null: this was the last. */
  readonly next: string | null;
}

/** Throws for an answer that has no list. `before` is how many rows the pages before had. */
export function readPage(
  list: ListDescription,
  entity: EntityDescription,
  {
    body,
    page,
    before,
  }: { readonly body: JsonValue; readonly page: number; readonly before: number },
): ReadPage {
  const rows = list.rows === '' ? body : isObject(body) ? fieldAt(body, list.rows) : undefined;
  if (!Array.isArray(rows) || !rows.every(isObject)) {
    throw new Error(`expected a list of entities at ${list.rows || 'the answer itself'}, got none`);
  }
  const { paging } = list;
  if (paging === null) return { rows, next: null };
  const answer = isObject(body) ? body : {};
  const ends =
    paging.more === undefined
      ? rows.length < sizeAskedFor(paging)
      : fieldAt(answer, paging.more) !== true;
  if (paging.by === 'cursor' && paging.next !== 'last-id') {
    const next = fieldAt(answer, paging.next.field);
    return { rows, next: next === null || next === undefined ? null : String(next) };
  }
  const last = rows.at(-1);
  if (ends || last === undefined) return { rows, next: null };
  switch (paging.by) {
    case 'page':
      return { rows, next: String(page + 1) };
    case 'offset':
      return { rows, next: String(before + rows.length) };
    case 'cursor':
      return { rows, next: String(fieldAt(last, entity.id)) };
    default:
      return paging satisfies never;
  }
}

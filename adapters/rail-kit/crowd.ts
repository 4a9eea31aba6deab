/**
 * What other people do while the subject looks for its own effect. In: a list request and how crowded it
 * is to be. Out: effects of equal substance and without a stamp, so that the subject's is on a later page.
 *
 * Where the newest come first they are newer; where the oldest do they had been there before. What
 * appears between two pages may move what is on them, and takes nothing away.
 */
import type { RailFault } from '../rail.ts';
import type { JsonObject } from '../target.ts';
import type { EntityBook, Making } from './book.ts';
import type { ListDescription, ServiceDescription } from './description.ts';
import { withField } from './fields.ts';

export interface Crowding {
  readonly description: ServiceDescription;
  readonly list: ListDescription;
  readonly book: EntityBook;
  readonly paged: Extract<RailFault, { readonly kind: 'paged' }>;
  readonly isWanted: (shown: JsonObject) => boolean;
  readonly isFirstPage: boolean;
  /** Of the page that was asked for. */
  readonly pageSize: number;
  readonly by: Making;
}

export function crowd({
  description,
  list,
  book,
  paged,
  isWanted,
  isFirstPage,
  pageSize,
  by,
}: Crowding): void {
  const listed = book.listed().filter(({ shown }) => isWanted(shown));
  const own = listed.findLast(({ actor }) => actor === 'subject');
  const [like] = own === undefined ? listed : [own];
  if (like === undefined) return;
  const { stamp } = description;
  const unstamped = stamp === null ? like.shown : withField(like.shown, stamp, null);
  const before = list.order === 'oldest-first' ? listed[0] : undefined;
  const add = () => book.make(unstamped, by, before);
  if (!isFirstPage) {
    if (paged.changes) add();
    return;
  }
  const at = own === undefined ? 0 : listed.indexOf(own);
  const ahead = list.order === 'oldest-first' ? at : listed.length - 1 - at;
  const wanted = Math.max(paged.lookAlikes, pageSize);
  for (let there = ahead; there < wanted; there += 1) add();
}

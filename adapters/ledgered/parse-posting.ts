/** The body of a posting. In: text. Out: what it asks for, or what is wrong with it. */
import type { Posting } from './ledger-book.ts';

export type ParsedPosting =
  | { readonly kind: 'posting'; readonly posting: Posting }
  | { readonly kind: 'invalid'; readonly why: string };

const fields = ['id', 'account', 'reference', 'amountMinor', 'currency', 'supersedes'];
const maxIdLength = 200;

export function parsePosting(text: string): ParsedPosting {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: 'invalid', why: 'The body must be JSON.' };
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { kind: 'invalid', why: 'The body must be an object.' };
  }
  const unknown = Object.keys(body).filter((field) => !fields.includes(field));
  if (unknown.length > 0) return { kind: 'invalid', why: `Unknown: ${unknown.join(', ')}.` };
  const { id, account, reference, amountMinor, currency, supersedes } = body as Partial<
    Record<keyof Posting, unknown>
  >;
  if (!isText(id) || id.length > maxIdLength) {
    return { kind: 'invalid', why: `id must be a text of 1 to ${maxIdLength} characters.` };
  }
  if (!isText(account) || !isText(reference) || !isText(currency)) {
    return { kind: 'invalid', why: 'account, reference and currency must be texts.' };
  }
  if (!isCount(amountMinor)) {
    return { kind: 'invalid', why: 'amountMinor must be a positive integer.' };
  }
  if (supersedes !== undefined && !isCount(supersedes)) {
    return { kind: 'invalid', why: 'supersedes must be the version of a fence.' };
  }
  return {
    kind: 'posting',
    posting: { id, account, reference, amountMinor, currency, supersedes: supersedes ?? null },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

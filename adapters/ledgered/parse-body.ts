/** The bodies the ledger reads. In: text. Out: what it asks for, or what is wrong with it. */
import type { Posting } from './ledger-book.ts';

export type Parsed<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly why: string };

const postingFields = ['id', 'account', 'reference', 'amountMinor', 'currency', 'supersedes'];
const maxIdLength = 200;

export function parsePosting(text: string): Parsed<Posting> {
  const parsed = parseFields(text, postingFields);
  if (parsed.kind === 'invalid') return parsed;
  const { id, account, reference, amountMinor, currency, supersedes } = parsed.value;
  if (!isText(id) || id.length > maxIdLength) {
    return invalid(`id must be a text of 1 to ${maxIdLength} characters.`);
  }
  if (!isText(account) || !isText(reference) || !isText(currency)) {
    return invalid('account, reference and currency must be texts.');
  }
  if (!isCount(amountMinor)) return invalid('amountMinor must be a positive integer.');
  if (supersedes !== undefined && !isCount(supersedes)) {
    return invalid('supersedes must be the version of a fence.');
  }
  return valid({ id, account, reference, amountMinor, currency, supersedes: supersedes ?? null });
}

/** Of an account. */
export function parseLimit(text: string): Parsed<number> {
  const parsed = parseFields(text, ['limitMinor']);
  if (parsed.kind === 'invalid') return parsed;
  const { limitMinor } = parsed.value;
  return isCount(limitMinor)
    ? valid(limitMinor)
    : invalid('limitMinor must be a positive integer.');
}

/** Which entry is to be reversed. */
export function parseReversal(text: string): Parsed<string> {
  const parsed = parseFields(text, ['entry']);
  if (parsed.kind === 'invalid') return parsed;
  const { entry } = parsed.value;
  return isText(entry) ? valid(entry) : invalid('entry must be a text.');
}

function parseFields(
  text: string,
  fields: readonly string[],
): Parsed<Readonly<Record<string, unknown>>> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return invalid('The body must be JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return invalid('The body must be an object.');
  }
  const unknown = Object.keys(body).filter((field) => !fields.includes(field));
  if (unknown.length > 0) return invalid(`Unknown: ${unknown.join(', ')}.`);
  return valid(body as Readonly<Record<string, unknown>>);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function valid<T>(value: T): Parsed<T> {
  return { kind: 'valid', value };
}

function invalid(why: string): { readonly kind: 'invalid'; readonly why: string } {
  return { kind: 'invalid', why };
}

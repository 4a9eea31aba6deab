/** The places of the ledger's API. In: a path. Out: what it names, null for none. */
import type { Reference } from './ledger-book.ts';

export type Place =
  | { readonly of: 'postings' | 'reversals' }
  | { readonly of: 'entries' | 'fence'; readonly id: string }
  | { readonly of: 'account'; readonly account: string }
  | ({ readonly of: 'reference' } & Reference);

export function readPlace(path: string): Place | null {
  const [root, ...encoded] = path.split('/');
  if (root !== '' || encoded.includes('')) return null;
  const parts = decode(encoded);
  if (parts === null) return null;
  const [collection, name, kind, last, ...more] = parts;
  if (more.length > 0) return null;
  switch (collection) {
    case 'reversals':
      return name === undefined ? { of: 'reversals' } : null;
    case 'entries':
      if (name === undefined) return { of: 'postings' };
      if (kind === undefined) return { of: 'entries', id: name };
      return kind === 'fence' && last === undefined ? { of: 'fence', id: name } : null;
    case 'accounts':
      if (name === undefined) return null;
      if (kind === undefined) return { of: 'account', account: name };
      return kind === 'references' && last !== undefined
        ? { of: 'reference', account: name, reference: last }
        : null;
    default:
      return null;
  }
}

function decode(encoded: readonly string[]): readonly string[] | null {
  try {
    return encoded.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** The places of the API that are served. In: a path. Out: what it names, null for none. */

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

export type Place =
  | { readonly of: 'repository' }
  | { readonly of: 'pull' | 'merge' | 'issue' | 'comments'; readonly number: number }
  | { readonly of: 'comment'; readonly id: number }
  | { readonly of: 'commit' | 'ref' | 'refs'; readonly name: string };

export interface Located {
  readonly repository: RepositoryName;
  /** Null: nothing that is served. */
  readonly place: Place | null;
}

export function readPlace(path: string): Located | null {
  const parts = decode(path.split('/').slice(1));
  const [root, owner, repo, ...rest] = parts ?? [];
  if (root !== 'repos' || !owner || !repo) return null;
  return { repository: { owner, repo }, place: placeIn(rest) };
}

const patterns: readonly (readonly [RegExp, (named: string) => Place])[] = [
  [/^()$/, () => ({ of: 'repository' })],
  [/^pulls\/(\d+)$/, (number) => ({ of: 'pull', number: Number(number) })],
  [/^pulls\/(\d+)\/merge$/, (number) => ({ of: 'merge', number: Number(number) })],
  [/^issues\/(\d+)$/, (number) => ({ of: 'issue', number: Number(number) })],
  [/^issues\/(\d+)\/comments$/, (number) => ({ of: 'comments', number: Number(number) })],
  [/^issues\/comments\/(\d+)$/, (id) => ({ of: 'comment', id: Number(id) })],
  [/^commits\/(.+)$/, (name) => ({ of: 'commit', name })],
  [/^git\/ref\/(.+)$/, (name) => ({ of: 'ref', name })],
  [/^git\/refs\/(.+)$/, (name) => ({ of: 'refs', name })],
];

function placeIn(parts: readonly string[]): Place | null {
  const path = parts.join('/');
  for (const [pattern, toPlace] of patterns) {
    const match = pattern.exec(path);
    if (match !== null) return toPlace(match[1] ?? '');
  }
  return null;
}

function decode(encoded: readonly string[]): readonly string[] | null {
  try {
    return encoded.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** Where a ledger has what is under an id. */

export function pathOf(key: string): string {
  return `/entries/${encodeURIComponent(key)}`;
}

export function fencePathOf(key: string): string {
  return `${pathOf(key)}/fence`;
}

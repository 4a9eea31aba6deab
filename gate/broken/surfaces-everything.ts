/** Stands in for `reference/means.ts`: there are no means, a person must look. */
export * from '../reference/means.ts';

export function meansOf(): 'none' {
  return 'none';
}

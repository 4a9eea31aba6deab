/** What stored results and their histories can disagree about, as data. */

export type DifferenceKind =
  | 'histories-unreadable'
  | 'history-missing'
  | 'history-changed'
  | 'history-unreadable'
  | 'history-unlisted'
  | 'ran-after-all'
  | 'excluded-wrongly'
  | 'listed-twice'
  | 'record-differs'
  | 'subject-differs'
  | 'counts-differ'
  | 'blind-spots-differ'
  | 'finished-differs'
  | 'trials-differ'
  | 'plan-differs'
  | 'stages-differ'
  | 'conclusion-differs';

export interface Difference {
  readonly kind: DifferenceKind;
  /** The trial's id; null where the run as a whole is meant; a file's name for an unlisted history. */
  readonly about: string | null;
  /** What was stored, what came out. */
  readonly message: string;
}

export function difference(
  kind: DifferenceKind,
  about: string | null,
  message: string,
): Difference {
  return { kind, about, message };
}

/** Both sides are plain data that was built in the same order of keys. */
export function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

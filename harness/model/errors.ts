/**
 * What can go wrong that is not a finding, and the exit codes people's scripts rely on.
 */

export const exitCodes = {
  /** Every trial meets its expectation. */
  met: 0,
  /** A finding too many, or a missing one. */
  unmet: 1,
  /** Inconclusive, not run, or nothing but exclusions. */
  inconclusive: 2,
  /** Wrong usage, also "nothing matched". */
  usage: 64,
  /** Killpoint's own fault. */
  internal: 70,
} as const;

export type HarnessErrorCode =
  | 'subject-not-started'
  | 'subject-not-ready'
  | 'subject-spoke-nonsense'
  | 'subject-flooded'
  | 'subject-silent'
  | 'subject-died'
  | 'point-not-reached'
  | 'pause-not-proven'
  | 'drain-timeout'
  | 'settle-timeout'
  | 'landed-too-late'
  | 'journal-unreadable'
  | 'target-unloadable'
  | 'rail-unloadable'
  | 'rail-cannot'
  | 'premises-uncaptured'
  | 'workspace'
  | 'interrupted';

/** We could not observe. Caught once, in the trial, which it makes inconclusive. */
export class HarnessError extends Error {
  override readonly name = 'HarnessError';
  readonly code: HarnessErrorCode;

  constructor(code: HarnessErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The user asked for something that can't be done; the message says what was expected, what came and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

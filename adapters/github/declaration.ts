/** What GitHub can do for a caller that has lost its memory, by operation. */
import type { TargetDeclaration } from '../target.ts';
import type { Options } from './configuration.ts';

export function declare(options: Options): TargetDeclaration {
  return { ...promises(options), ...ofEither, clientTimeoutMs: options.clientTimeoutMs };
}

/** GitHub reads no idempotency key, stores no answer, and publishes no version of an issue. */
const ofEither = {
  dedupe: null,
  storedErrorFinal: false,
  noReturnMark: false,
  premises: ['value-equals'],
} as const;

function promises(
  options: Options,
): Pick<TargetDeclaration, 'onceByState' | 'guardsPremises' | 'lookup' | 'absence'> {
  const { lagMs } = options;
  switch (options.operation) {
    case 'merge':
      return {
        onceByState: true,
        guardsPremises: true,
        // What is merged stays merged: a revert is another commit.
        lookup: { lagMs, seesDeletions: true },
        absence: { landingBoundMs: options.landingBoundMs },
      };
    case 'comment':
      return {
        onceByState: false,
        guardsPremises: false,
        // A comment that was deleted leaves nothing behind.
        lookup: { lagMs, seesDeletions: false },
        absence: 'never',
      };
    default:
      return options satisfies never;
  }
}

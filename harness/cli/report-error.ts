/** Whatever a command threw, as one message for people and an exit code. */
import { CommanderError } from 'commander';
import { exitCodes, UsageError } from '../model/errors.ts';
import { describeFault } from './describe-fault.ts';
import { withSuggestion } from './suggest.ts';

export interface ErrorReport {
  readonly exitCode: number;
  /** Empty where the message has been shown already. */
  readonly message: string;
}

export function reportError(error: unknown, options: { readonly debug: boolean }): ErrorReport {
  if (error instanceof CommanderError) {
    // Help that was asked for, and the version, end well; commander has printed everything by now.
    return { exitCode: error.exitCode === 0 ? exitCodes.met : exitCodes.usage, message: '' };
  }
  if (error instanceof UsageError) {
    return { exitCode: exitCodes.usage, message: `killpoint: ${withSuggestion(error.message)}` };
  }
  return { exitCode: exitCodes.internal, message: describeFault(error, options) };
}

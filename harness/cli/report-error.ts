/** Whatever a command threw, as one message for people and an exit code. */
import { CommanderError } from 'commander';
import { exitCodes, HarnessError, UsageError } from '../model/errors.ts';
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
  return { exitCode: exitCodes.internal, message: internal(error, options.debug) };
}

function internal(error: unknown, debug: boolean): string {
  if (debug) return `killpoint: ${describe(error)}`;
  const advice =
    'killpoint doctor shows what this machine lacks; KILLPOINT_DEBUG=1 shows where it happened';
  if (error instanceof HarnessError) {
    return `killpoint: ${error.code}: ${oneLine(error.message)}; ${advice}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return `killpoint: a fault of Killpoint itself: ${oneLine(message)}; ${advice}`;
}

/** With its causes, for whoever mends it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${describe(error.cause)}`;
}

function oneLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

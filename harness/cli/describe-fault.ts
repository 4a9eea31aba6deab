/** A fault of Killpoint's own, in one line for people; where it happened only for whoever asks. */
import { HarnessError } from '../model/errors.ts';

export function describeFault(error: unknown, options: { readonly debug: boolean }): string {
  if (options.debug) return `killpoint: ${describe(error)}`;
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

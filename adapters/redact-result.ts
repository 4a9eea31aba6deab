/**
 * Takes what must not be kept out of what a target says. In: a result, and how its words are cleaned. Out:
 * the same result. What a server echoes is kept in ledgers and logs.
 */
import type { ApplyResult } from './target.ts';

export function redactResult(result: ApplyResult, clean: (text: string) => string): ApplyResult {
  switch (result.kind) {
    case 'landed':
      return result;
    case 'refused':
      return { ...result, reason: clean(result.reason) };
    case 'unknown':
      return { ...result, detail: clean(result.detail) };
    default:
      return result satisfies never;
  }
}

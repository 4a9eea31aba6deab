/** Stands in for `email/smtp/classify.ts`: what was not accepted in so many words is told as refused. */
import { classifyEnding as sound } from '../email/smtp/classify.ts';
import type { ApplyResult } from '../target.ts';

export * from '../email/smtp/classify.ts';

export function classifyEnding(...given: Parameters<typeof sound>): ApplyResult {
  const result = sound(...given);
  return result.kind === 'unknown'
    ? { kind: 'refused', reason: result.detail, mendable: true }
    : result;
}

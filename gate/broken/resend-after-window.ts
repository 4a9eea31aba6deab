/** Stands in for `reference/window.ts`: a key is good for ever. */
import {
  windowState as state,
  type WindowQuestion,
  type WindowState,
} from '../reference/window.ts';

export * from '../reference/window.ts';

export function windowState(question: WindowQuestion): WindowState {
  const dedupe = question.dedupe === null ? null : ({ windowMs: 'forever' } as const);
  return state({ ...question, dedupe });
}

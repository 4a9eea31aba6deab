/** Stands in for `reference/send.ts`: the time of the attempt is part of its key. */
import type { Answer } from '../reference/judge-answer.ts';
import { sendAttempt as send } from '../reference/send.ts';

export * from '../reference/send.ts';

export async function sendAttempt(
  ...[engine, row, allowance]: Parameters<typeof send>
): Promise<Answer> {
  return await send(engine, { ...row, railKey: `${row.railKey}-${engine.now()}` }, allowance);
}

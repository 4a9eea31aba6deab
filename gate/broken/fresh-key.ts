/** Stands in for `reference/send.ts`: every attempt goes out under a key of its own. */
import { randomUUID } from 'node:crypto';
import type { Answer } from '../reference/judge-answer.ts';
import { sendAttempt as send } from '../reference/send.ts';

export * from '../reference/send.ts';

export async function sendAttempt(
  ...[engine, row, allowance]: Parameters<typeof send>
): Promise<Answer> {
  return await send(engine, { ...row, railKey: randomUUID() }, allowance);
}

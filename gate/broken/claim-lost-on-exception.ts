/** Stands in for `reference/send.ts`: a call without an answer is taken for one that was never made. */
import type { Answer } from '../reference/judge-answer.ts';
import { sendAttempt as send } from '../reference/send.ts';

export * from '../reference/send.ts';

export async function sendAttempt(...call: Parameters<typeof send>): Promise<Answer> {
  const answer = await send(...call);
  return answer.reply === 'unknown' ? { ...answer, reply: 'refused-mendable' } : answer;
}

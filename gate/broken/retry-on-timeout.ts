/** Stands in for `reference/send.ts`: what was not answered is sent again at once. */
import type { Answer } from '../reference/judge-answer.ts';
import { sendAttempt as send } from '../reference/send.ts';

export * from '../reference/send.ts';

export async function sendAttempt(...call: Parameters<typeof send>): Promise<Answer> {
  const answer = await send(...call);
  return answer.reply === 'unknown' ? await send(...call) : answer;
}

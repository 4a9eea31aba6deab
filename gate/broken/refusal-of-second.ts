/** Stands in for `reference/judge-answer.ts`: a refusal speaks for every attempt. */
import { judgeAnswer as judge, type Settlement } from '../reference/judge-answer.ts';

export * from '../reference/judge-answer.ts';

export function judgeAnswer(given: Parameters<typeof judge>[0]): Settlement {
  return judge({
    ...given,
    attempts: given.attempts.filter(({ attempt }) => attempt === given.current),
  });
}

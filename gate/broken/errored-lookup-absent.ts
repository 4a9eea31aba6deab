/** Stands in for `reference/ask-service.ts`: a lookup that failed found nothing. */
import { askService as ask, type Seen } from '../reference/ask-service.ts';

export * from '../reference/ask-service.ts';

export async function askService(...asked: Parameters<typeof ask>): Promise<Seen> {
  const seen = await ask(...asked);
  return seen.kind === 'could-not-tell' ? { kind: 'absent', proof: 'last-page' } : seen;
}

/** Stands in for `reference/ask-service.ts`: what is no longer allowed is not looked for, it has not happened. */
import { askService as ask, type Seen } from '../reference/ask-service.ts';
import { checkPermission } from '../reference/permission.ts';

export * from '../reference/ask-service.ts';

export async function askService(...asked: Parameters<typeof ask>): Promise<Seen> {
  const [engine, row] = asked;
  const permission = await checkPermission(engine, row, { lease: row.lease, premises: [] });
  if (permission.kind === 'refused') return { kind: 'absent', proof: 'last-page' };
  return await ask(...asked);
}

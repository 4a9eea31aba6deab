/**
 * Stands in for `ledgered/lookups.ts`: that nothing is there yet, which every posting is checked against,
 * is taken for a fence. What is still on its way satisfies it as well.
 */
import { type Ask, lookups as soundLookups } from '../ledgered/lookups.ts';
import type { FenceResult } from '../target.ts';

export * from '../ledgered/lookups.ts';

export function lookups(ask: Ask): ReturnType<typeof soundLookups> {
  const { query } = soundLookups(ask);
  const fence = async (call: Parameters<typeof query>[0]): Promise<FenceResult> => {
    const seen = await query(call);
    switch (seen.kind) {
      case 'absent':
        return { kind: 'planted' };
      case 'many':
        return { kind: 'could-not-tell', detail: `several: ${seen.entityIds.join(', ')}` };
      default:
        return seen;
    }
  };
  return { query, fence };
}

/** Stands in for `stripe/stamp.ts`: the stamp goes out in one field and is looked for in another. */
import type { stampOf as read } from '../stripe/stamp.ts';

export * from '../stripe/stamp.ts';

export function stampOf({ metadata }: Parameters<typeof read>[0]): string | null {
  return metadata?.order_id ?? null;
}

/** Stands in for `stripe/send-once.ts`: what can't be told is told as done. */
import { sendOnce as send } from '../stripe/send-once.ts';
import type { ApplyResult } from '../target.ts';

export * from '../stripe/send-once.ts';

export async function sendOnce(...[client, call]: Parameters<typeof send>): Promise<ApplyResult> {
  const result = await send(client, call);
  if (result.kind !== 'unknown') return result;
  return { kind: 'landed', entityId: call.key, stamp: call.key };
}

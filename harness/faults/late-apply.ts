/**
 * The request is under way for so long that its sender gives up, and takes effect afterwards. Whoever
 * opened the wire releases it, after the gate has looked for the effect and not found it.
 */
import type { RequestFault } from './fault.ts';

export const lateApply: RequestFault = {
  name: 'late-apply',
  proof: 'the request held, later forwarded and replied to; nothing delivered',
  meets: 'request',
  handling: { upstream: 'hold', reply: 'withhold' },
};

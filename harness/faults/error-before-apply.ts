/** Something in front of the service answers 503 and the service never hears of the request. */
import type { RequestFault } from './fault.ts';

export const errorBeforeApply: RequestFault = {
  name: 'error-before-apply',
  proof: 'a 503 delivered by the wire; nothing forwarded',
  meets: 'request',
  handling: {
    upstream: 'discard',
    reply: { status: 503, body: '{"error":{"message":"service unavailable"}}' },
  },
};

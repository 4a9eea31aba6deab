/**
 * Something in front of the service gives up and answers 504 although the service did what it was
 * asked. An explicit error proves nothing.
 */
import type { RequestFault } from './fault.ts';

export const errorAfterApply: RequestFault = {
  name: 'error-after-apply',
  proof: "the service's whole reply, then a 504 delivered by the wire in its place",
  meets: 'request',
  handling: {
    upstream: 'forward',
    reply: { status: 504, body: '{"error":{"message":"upstream timed out"}}' },
  },
};

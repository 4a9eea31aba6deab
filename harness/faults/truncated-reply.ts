/** The service does it, and its answer breaks off in the middle: half an answer is no answer. */
import type { RequestFault } from './fault.ts';

export const truncatedReply: RequestFault = {
  name: 'truncated-reply',
  proof: "the service's whole reply, then a drop; no whole reply delivered",
  meets: 'request',
  handling: { upstream: 'forward', reply: 'truncate' },
};

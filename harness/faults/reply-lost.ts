/** The service does what it was asked; its whole reply reaches the wire and goes no further. */
import type { RequestFault } from './fault.ts';

export const replyLost: RequestFault = {
  name: 'reply-lost',
  proof: 'the request forwarded, the reply whole, then its drop; nothing delivered',
  meets: 'request',
  handling: { upstream: 'forward', reply: 'reset' },
};

/** The service does what it was asked; its whole reply reaches the wire and goes no further. */
import type { RequestFault } from './fault.ts';

export const replyLost: RequestFault = {
  name: 'reply-lost',
  meaning: 'the request took effect, its reply was lost and the connection was reset',
  proof: 'the request forwarded, the reply whole, then its drop; nothing delivered',
  meets: 'request',
  handling: { upstream: 'forward', reply: 'reset' },
};

/**
 * The service does what it was asked; its whole reply reaches the wire and goes no further. How its
 * client learns of it is one of the circumstances.
 */
import type { RequestFault } from './fault.ts';

export const replyLost: RequestFault = {
  name: 'reply-lost',
  proof: 'the request forwarded, the reply whole, then its drop; nothing delivered',
  meets: 'request',
  handling: ({ lostReply = 'reset' }) => ({
    upstream: 'forward',
    reply: lostReply === 'silence' ? 'withhold' : lostReply,
  }),
};

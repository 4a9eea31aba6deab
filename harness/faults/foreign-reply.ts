/**
 * The answer is a whole and true one, and it is the answer to somebody else's request: a cache or a
 * proxy mixed two of them up. Only a stamp tells.
 */
import type { RequestFault } from './fault.ts';

export const foreignReply: RequestFault = {
  name: 'foreign-reply',
  proof: "the service's whole reply, dropped, and another delivered by the wire in its place",
  meets: 'request',
  handling: ({ foreignReply: raw }) => {
    if (raw === null) throw new Error('a foreign reply was to be given and none was recorded');
    return { upstream: 'forward', reply: { raw } };
  },
};

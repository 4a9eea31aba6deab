/** The request never reaches the service, and its sender learns only that the connection is gone. */
import type { RequestFault } from './fault.ts';

export const requestLost: RequestFault = {
  name: 'request-lost',
  proof: 'the whole request and its drop; nothing forwarded, nothing delivered',
  meets: 'request',
  handling: { upstream: 'discard', reply: 'reset' },
};

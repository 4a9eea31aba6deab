/**
 * The service does it and answers, and the answer comes when its reader has given up: a timeout says
 * nothing about what happened.
 */
import type { RequestFault } from './fault.ts';

/** Enough past the client's patience that its timer, and not luck, decides. */
const beyondTimeout = 1.5;

export const slow: RequestFault = {
  name: 'slow',
  proof: "the service's whole reply; nothing of it delivered, since its reader was gone",
  meets: 'request',
  handling: ({ clientTimeoutMs }) => ({
    upstream: 'forward',
    reply: { delayMs: Math.ceil(clientTimeoutMs * beyondTimeout) },
  }),
};

/**
 * The service can't be reached: not one byte of a request leaves. It heals after the first call that
 * failed, so that a gate that tries again within its budget can succeed.
 */
import type { ConnectionFault } from './fault.ts';

export const partition: ConnectionFault = {
  name: 'partition',
  proof: 'a refused connection, and no request on it',
  meets: 'connection',
};

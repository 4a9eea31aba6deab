/** The service can't be reached and won't be: what is not known by now can't be learnt in this trial. */
import type { ConnectionFault } from './fault.ts';

export const partitionForever: ConnectionFault = {
  name: 'partition-forever',
  proof: 'a refused connection, and none accepted after it',
  meets: 'connection',
};

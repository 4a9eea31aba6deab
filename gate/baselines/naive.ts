/** A job table whose every call carries a fresh key, as an SDK or a tool call makes one up. */
import { randomUUID } from 'node:crypto';
import { runJobTable } from './job-table.ts';

runJobTable('naive', {
  naming: ({ subject }) => subject,
  keyFor: () => randomUUID(),
  bindsRequest: false,
  takesRefusals: false,
});

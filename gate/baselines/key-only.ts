/**
 * A job table with the vendor's first advice taken, a stable idempotency key, and nothing else. The
 * key is what it would be on a first day: the kind of effect and what it is done to.
 */
import { runJobTable } from './job-table.ts';

runJobTable('key-only', {
  naming: ({ operation, subject }) => `${operation}-${subject}`,
  keyFor: (job) => job.id,
  bindsRequest: false,
  takesRefusals: false,
});

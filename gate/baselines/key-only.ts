/** A job table with the vendor's first advice taken, a stable idempotency key, and nothing else. */
import { runJobTable } from './job-table.ts';

runJobTable('key-only', (subject) => `refund-${subject}`);

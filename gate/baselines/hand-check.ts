/** A job table as a careful engineer writes one from the vendor's documentation. */
import { handCheck } from './hand-check-routine.ts';
import { runJobTable } from './job-table.ts';

runJobTable('hand-check', handCheck);

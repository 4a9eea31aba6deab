/**
 * An at-least-once queue in the application's own Postgres. DATABASE_URL says where that is, as it
 * does for the application beside it.
 */
import { runSubject } from '../subject.ts';
import { jobPoints } from './job.ts';
import { openQueue } from './queue-gate.ts';

runSubject({
  name: 'queue',
  version: '1',
  points: jobPoints,
  resolves: false,
  openGate: (context) => openQueue(context, process.env.DATABASE_URL),
});

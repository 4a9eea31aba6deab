/** The points the reference gate announces: every one there is. */
import type { AnnouncedPoint } from '../gate.ts';

export const referencePoints: readonly AnnouncedPoint[] = [
  'before_wal',
  'after_wal_before_call',
  'after_call_before_commit',
  'after_commit_before_ack',
  'recovery:owned',
  'recovery:before-lookup',
  'recovery:after-lookup',
  'recovery:before-resend',
  'recovery:before-settle',
];

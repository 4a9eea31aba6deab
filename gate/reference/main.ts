/** The reference gate as a subject: the gate library with the protocol around it. */
import { runSubject } from '../subject.ts';
import { createGate } from './gate.ts';

runSubject({
  name: 'reference',
  version: '1',
  points: [
    'before_wal',
    'after_wal_before_call',
    'after_call_before_commit',
    'after_commit_before_ack',
    'recovery:owned',
    'recovery:before-lookup',
    'recovery:after-lookup',
    'recovery:before-resend',
    'recovery:before-settle',
  ],
  resolves: true,
  openGate: ({ start, target, authority, now, at }) =>
    createGate({ target, ledger: start.ledger, authority, now, at }),
});

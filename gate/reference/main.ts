/** The reference gate as a subject: the gate library with the protocol around it. */
import { runSubject } from '../subject.ts';
import { createGate } from './gate.ts';
import { referencePoints } from './points.ts';
import { lookLimit } from './recovery.ts';

runSubject({
  name: 'reference',
  version: '1',
  points: referencePoints,
  resolves: true,
  looks: lookLimit,
  openGate: ({ start, target, authority, now, at }) =>
    createGate({ target, ledger: start.ledger, authority, now, at }),
});

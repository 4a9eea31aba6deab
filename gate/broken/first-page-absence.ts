/** The reference gate with a look of its own that ends with the first page: what is not on it is not there. */
import { createGate } from '../reference/gate.ts';
import { referencePoints } from '../reference/points.ts';
import { runSubject } from '../subject.ts';
import { lookingAtFirstPage } from './refund-list.ts';

runSubject({
  name: 'first-page-absence',
  version: '1',
  points: referencePoints,
  resolves: true,
  openGate: ({ start, target, authority, now, at }) =>
    createGate({
      target: lookingAtFirstPage(
        target,
        start.target,
        (refund, call) => Object.values(refund.metadata).includes(call.key),
        3,
      ),
      ledger: start.ledger,
      authority,
      now,
      at,
    }),
});

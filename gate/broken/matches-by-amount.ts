/** The reference gate with a look of its own that takes any refund of the amount for the one it made. */
import { createGate } from '../reference/gate.ts';
import { referencePoints } from '../reference/points.ts';
import { runSubject } from '../subject.ts';
import { lookingAtFirstPage } from './refund-list.ts';

runSubject({
  name: 'matches-by-amount',
  version: '1',
  points: referencePoints,
  resolves: true,
  openGate: ({ start, target, authority, now, at }) =>
    createGate({
      target: lookingAtFirstPage(
        target,
        start.target,
        (refund, call) => refund.amount === call.request.amountMinor,
        100,
      ),
      ledger: start.ledger,
      authority,
      now,
      at,
    }),
});

/** Stands in for `reference/submit.ts`: whoever asks for what is settled opens it again. */
import { carryOut as carry } from '../reference/submit.ts';

export * from '../reference/submit.ts';

export async function carryOut(...[engine, wanted, proposal]: Parameters<typeof carry>) {
  const row = engine.ledger.live(wanted.decisionKey);
  if (row?.state === 'APPLIED') {
    engine.ledger.transact((step) => step.record(row, 'reopen', { set: { entityId: null } }));
  }
  return await carry(engine, wanted, proposal);
}

import { announce, claimOf, type Engine } from './engine.ts';
import { resendIsLook } from './means.ts';
import type { IntentRow } from './schema.ts';

/** Hands it to a person: what could still be learnt apart from what nobody can know. */
export function surface(engine: Engine, row: IntentRow, whyNoResend: string | null): IntentRow {
  announce(engine, 'recovery:before-settle', row);
  const knowable = engine.target.declaration.lookup !== null || resendIsLook(engine, row);
  const because = whyNoResend === null ? row.evidence : `${row.evidence}; ${whyNoResend}`;
  // While a call of ours may still send, no other incarnation may take it for over.
  const owner = engine.overdue.quietSinceMs(row.decisionKey) === null ? row.owner : null;
  return engine.ledger.transact((step) => {
    const held = step.held(claimOf(row));
    return knowable
      ? step.record(held, 'quarantine', {
          set: { evidence: `not known after ${held.looks} looks: ${because}`, owner },
        })
      : step.record(held, 'nobody-can-know', {
          set: { evidence: `the service can’t be asked: ${because}`, owner },
        });
  });
}

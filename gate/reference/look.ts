/**
 * One look at the service, and what it settles. Anything but a whole and final answer could not tell.
 */
import { askService, type Seen } from './ask-service.ts';
import type { AttemptChange } from './chain.ts';
import { announce, claimOf, type Engine, waitSince } from './engine.ts';
import { openAttempts } from './judge-answer.ts';
import type { LedgerStep } from './ledger.ts';
import { lookNotBeforeMs } from './look-time.ts';
import type { IntentRow } from './schema.ts';

export async function look(
  engine: Engine,
  row: IntentRow,
  quietSinceMs: number,
): Promise<IntentRow> {
  const overdueSinceMs = engine.overdue.quietSinceMs(row.decisionKey);
  const silentSinceMs = Math.max(quietSinceMs, overdueSinceMs ?? 0);
  await waitSince(silentSinceMs, lookNotBeforeMs(engine.target.declaration));
  const looking = engine.ledger.transact((step) => {
    const held = step.held(claimOf(row));
    return step.record(held, 'look', {
      set: { looks: held.looks + 1, evidence: `look ${held.looks + 1} is under way` },
    });
  });
  announce(engine, 'recovery:before-lookup', looking);
  const seen = await askService(engine, looking, overdueSinceMs !== null);
  announce(engine, 'recovery:after-lookup', looking);
  announce(engine, 'recovery:before-settle', looking);
  return engine.ledger.transact((step) => settleLook(engine, step, looking, seen));
}

function settleLook(engine: Engine, step: LedgerStep, row: IntentRow, seen: Seen): IntentRow {
  const held = step.held(claimOf(row));
  switch (seen.kind) {
    case 'found':
      return step.record(held, 'landed', {
        set: {
          entityId: seen.entityId,
          evidence: 'found at the service by our stamp',
          owner: null,
        },
      });
    case 'absent': {
      const attempts = openAttempts(engine.ledger.attempts(held)).map(
        ({ attempt }): AttemptChange => ({ attempt, set: { noEffect: seen.proof } }),
      );
      const evidence =
        seen.proof === 'fence'
          ? 'a fence stands at the service, no attempt can pass it'
          : 'looked through to the last page after everything sent must have landed: not there';
      const lastPage = seen.proof === 'last-page' ? 1 : null;
      return step.record(held, 'proved-absent', {
        set: { absenceEvidence: seen.proof, lastPage, evidence, owner: null },
        attempts,
      });
    }
    case 'many':
      return step.record(held, 'quarantine', {
        set: { evidence: `several carry our stamp: ${seen.entityIds.join(', ')}`, owner: null },
      });
    case 'could-not-tell':
      return step.record(held, 'inconclusive', {
        set: { evidence: `look ${held.looks} could not tell: ${seen.detail}` },
      });
    default:
      return seen satisfies never;
  }
}

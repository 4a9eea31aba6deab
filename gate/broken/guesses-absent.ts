/** Stands in for `reference/surface.ts`: what can't be known will not have happened. */
import { claimOf, type Engine } from '../reference/engine.ts';
import { openAttempts } from '../reference/judge-answer.ts';
import type { IntentRow } from '../reference/schema.ts';

export * from '../reference/surface.ts';

export function surface(engine: Engine, row: IntentRow): IntentRow {
  return engine.ledger.transact((step) => {
    const looking = step.record(step.held(claimOf(row)), 'look');
    return step.record(looking, 'proved-absent', {
      set: { absenceEvidence: 'last-page', lastPage: 1, owner: null },
      attempts: openAttempts(engine.ledger.attempts(row)).map(({ attempt }) => ({
        attempt,
        set: { noEffect: 'last-page' },
      })),
    });
  });
}

/** A person's word on an intent that waits for one, recorded in the chain with their name. */
import type { Resolution } from '../gate.ts';
import type { Engine } from './engine.ts';
import { openAttempts } from './judge-answer.ts';
import type { Change } from './ledger.ts';
import type { IntentRow } from './schema.ts';
import type { GateEvent } from './states.ts';

/** The resolution does not fit the intent; nothing was changed. */
export class ResolutionError extends Error {
  override readonly name = 'ResolutionError';
}

export function resolveIntent(
  engine: Engine,
  decisionKey: string,
  resolution: Resolution,
): IntentRow {
  if (resolution.by.trim() === '') {
    throw new ResolutionError('by: expected the name of the person who decided, got none');
  }
  return engine.ledger.transact((step) => {
    const row = engine.ledger.live(decisionKey) ?? engine.ledger.latest(decisionKey);
    if (row === null) {
      throw new ResolutionError(
        'expected an intent that waits for a person, found no record of it',
      );
    }
    if (resolution.decision === 'absent' && mayStillSend(engine, row)) {
      throw new ResolutionError(
        `a call of incarnation ${row.owner ?? ''} has not ended and may still send; ` +
          'end that process first, or wait for it',
      );
    }
    const { event, change } = readResolution(row, resolution);
    // A person's "absent" speaks of everything sent so far.
    const open = event === 'resolve-absent' ? openAttempts(engine.ledger.attempts(row)) : [];
    const attempts = open.map(({ attempt }) => ({ attempt, set: { noEffect: 'person' as const } }));
    return step.record(row, event, { ...change, attempts });
  });
}

/** A surfaced intent has an owner only where a target did not end its call in time. */
function mayStillSend({ lock, overdue }: Engine, { owner, decisionKey }: IntentRow): boolean {
  if (owner === null) return false;
  return owner === lock.id ? overdue.quietSinceMs(decisionKey) === null : lock.isAlive(owner);
}

function readResolution(
  row: IntentRow,
  resolution: Resolution,
): { event: GateEvent; change: Change } {
  const { decision, by, reason } = resolution;
  const evidence = `${by} decided "${decision}": ${reason}`;
  const isSurfaced = row.state === 'AMBIGUOUS' || row.state === 'QUARANTINED';
  if (isSurfaced && decision === 'happened') {
    const entityId = resolution.entityId ?? null;
    return { event: 'resolve-happened', change: { set: { entityId, resolvedBy: by, evidence } } };
  }
  if (isSurfaced && decision === 'absent') {
    return {
      event: 'resolve-absent',
      change: { set: { absenceEvidence: 'person', lastPage: null, resolvedBy: by, evidence } },
    };
  }
  if (row.state === 'HELD' && decision === 'approve') {
    return { event: 'approve', change: { set: { authorized: 1, approvedBy: by, evidence } } };
  }
  if (row.state === 'HELD' && decision === 'reject') {
    return { event: 'reject', change: { set: { resolvedBy: by, evidence } } };
  }
  throw new ResolutionError(
    `an intent in ${row.state} can't be resolved with "${decision}"; ` +
      'expected happened or absent for AMBIGUOUS and QUARANTINED, approve or reject for HELD',
  );
}

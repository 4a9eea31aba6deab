/** What a gate says of an intent, from its rows alone. Pure. */
import type { Disposition, Outcome, OutcomeKind, Receipt, ReceiptFacts } from '../gate.ts';
import type { IntentRow } from './schema.ts';
import { absorbingStates, type State } from './states.ts';

export const noRecord: Outcome = {
  outcome: 'absent',
  disposition: 'settled',
  final: false,
  state: null,
  entityId: null,
  attempts: 0,
  evidence: 'the ledger has no record of it; nothing was sent',
  receipt: null,
};

/** `ownerLives` matters only where somebody may be at work. */
export function outcomeOf(row: IntentRow, ownerLives: boolean, chainHash: string): Outcome {
  const { outcome, disposition } = sayOf(row.state);
  const about = {
    outcome,
    disposition,
    final: row.state === 'APPLIED' || row.state === 'FAILED_TERMINAL',
    state: row.state,
    entityId: row.entityId,
    attempts: row.attempts,
    evidence: disposition === 'working' ? workingEvidence(row, ownerLives) : row.evidence,
  };
  return { ...about, receipt: receiptOf(row, chainHash) };
}

/** The answer to a submit that joined somebody alive and could not wait for the end. */
export function atWork(row: IntentRow): Outcome {
  return {
    outcome: 'unknown',
    disposition: 'working',
    final: false,
    state: row.state,
    entityId: null,
    attempts: row.attempts,
    evidence: workingEvidence(row, true),
    receipt: null,
  };
}

/** The answer to another payload under a recorded key; the intent itself is left as it is. */
export function otherPayload(row: IntentRow, payloadHash: string): Outcome {
  return {
    outcome: 'refused',
    disposition: 'settled',
    final: absorbingStates.includes(row.state),
    state: row.state,
    entityId: null,
    attempts: row.attempts,
    evidence:
      `this decision was recorded with payload ${row.payloadHash}, the request has ${payloadHash}; ` +
      'nothing was sent. Another substance needs another decision',
    receipt: null,
  };
}

export function factsOf(row: Pick<IntentRow, 'state' | 'authorized'>): ReceiptFacts {
  return {
    proposed: true,
    authorized: row.authorized === 1,
    executed: executedIn(row.state),
    recorded: sayOf(row.state).disposition !== 'working',
  };
}

function receiptOf(row: IntentRow, chainHash: string): Receipt {
  return {
    decisionKey: row.decisionKey,
    payloadHash: row.payloadHash,
    state: row.state,
    entityId: row.entityId,
    facts: factsOf(row),
    chainSeq: row.chainSeq,
    chainHash,
  };
}

function sayOf(state: State): { outcome: OutcomeKind; disposition: Disposition } {
  switch (state) {
    case 'APPLIED':
      return { outcome: 'happened', disposition: 'settled' };
    case 'BLOCKED':
    case 'FAILED_TERMINAL':
      return { outcome: 'refused', disposition: 'settled' };
    case 'CONFIRMED_NOT_APPLIED':
    case 'PROPOSED':
    case 'AUTHORIZED':
      return { outcome: 'absent', disposition: 'settled' };
    case 'IN_FLIGHT':
    case 'UNKNOWN':
    case 'RECONCILING':
      return { outcome: 'unknown', disposition: 'working' };
    case 'AMBIGUOUS':
    case 'QUARANTINED':
    case 'HELD':
      return { outcome: 'unknown', disposition: 'surfaced' };
    default:
      return state satisfies never;
  }
}

function executedIn(state: State): ReceiptFacts['executed'] {
  const { outcome } = sayOf(state);
  switch (outcome) {
    case 'happened':
      return 'yes';
    case 'absent':
    case 'refused':
      return 'no';
    case 'unknown':
      return state === 'HELD' ? 'no' : 'unknown';
    default:
      return outcome satisfies never;
  }
}

function workingEvidence(row: IntentRow, ownerLives: boolean): string {
  return ownerLives
    ? `owned, alive: ${row.owner ?? 'nobody'} is at work on it (${row.evidence})`
    : `its owner is gone (${row.evidence}); recover or the same submit will learn what became of it`;
}

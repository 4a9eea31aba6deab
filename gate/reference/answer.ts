/** Reads the ledger and says what it holds; writes and sends nothing. */
import type { Outcome } from '../gate.ts';
import type { Engine } from './engine.ts';
import { noRecord, outcomeOf } from './outcome.ts';
import type { IntentRow } from './schema.ts';

export function answerFor(engine: Engine, decisionKey: string): Outcome {
  const live = engine.ledger.live(decisionKey);
  const latest = engine.ledger.latest(decisionKey);
  if (latest === null) return noRecord;
  if (live === null) return answerOf(engine, latest);
  // A later proposal that was turned down is the last word while nothing is known to have happened.
  if (latest.proposal > live.proposal && latest.chainSeq > live.chainSeq && isAbsent(live)) {
    return { ...answerOf(engine, latest), attempts: live.attempts };
  }
  return answerOf(engine, live);
}

export function answerOf(engine: Engine, row: IntentRow): Outcome {
  const ownerLives = row.owner !== null && engine.lock.isAlive(row.owner);
  const entry = engine.ledger.chainEntry(row.chainSeq);
  if (entry === null) {
    throw new Error(
      `expected chain entry ${row.chainSeq} for intent ${row.decisionKey}, found none; verify the ledger`,
    );
  }
  return outcomeOf(row, ownerLives, entry.hash);
}

function isAbsent(row: IntentRow): boolean {
  return (
    row.state === 'PROPOSED' || row.state === 'AUTHORIZED' || row.state === 'CONFIRMED_NOT_APPLIED'
  );
}

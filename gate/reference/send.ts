/**
 * One attempt: recorded, sent, read, settled, in this order.
 *
 * In: an intent we own that may be sent. Out: the intent after the reply was recorded. A reply is
 * believed only with our stamp, and settles only its own attempt; the intent ends where all of its
 * attempts together put it. Nothing is sent that is not durable first.
 */
import type { ApplyResult } from '../../adapters/target.ts';
import { bounded } from '../bounded.ts';
import { whyOverCap } from './caps.ts';
import type { AttemptChange } from './chain.ts';
import { claimOf, type Engine, type Mandate, requestOf, wordsOf } from './engine.ts';
import { canonicalJson } from './identity.ts';
import { type Answer, judgeAnswer } from './judge-answer.ts';
import type { Claim, LedgerStep } from './ledger.ts';
import { sendPatience } from './overdue.ts';
import { type Allowance, isExpired } from './permission.ts';
import type { IntentRow } from './schema.ts';
import { windowState } from './window.ts';

export type Recorded =
  | { readonly kind: 'recorded'; readonly row: IntentRow }
  /** Nothing was recorded: the window or the lease ended first, or a cap has no room for it. */
  | { readonly kind: 'withheld'; readonly why: string };

/**
 * The write before the call: window, caps, states, number, owner and chain entry in one transaction.
 * The attempt is itself the reservation against the caps.
 */
export function recordAttempt(engine: Engine, row: IntentRow, allowance: Allowance): Recorded {
  return engine.ledger.transact((step) => {
    const held = step.held(claimOf(row));
    const why = whyNotNow(engine, held, allowance, step) ?? whyNoRoom(engine, held, allowance);
    if (why !== null) return { kind: 'withheld', why };
    const isResend = held.state === 'UNKNOWN';
    const authorized = isResend
      ? step.record(held, 'authorize-resend', { set: { looks: held.looks + 1 } })
      : held;
    const attempt = held.attempts + 1;
    const recorded = step.record(authorized, 'record-attempt', {
      set: {
        attempts: attempt,
        looks: isResend ? authorized.looks : 0,
        absenceEvidence: null,
        lastPage: null,
        evidence: `attempt ${attempt} is in flight`,
      },
      attempts: [{ attempt, set: newAttempt(allowance.mandate, step.nowMs) }],
    });
    return { kind: 'recorded', row: recorded };
  });
}

/** Sends the recorded attempt once. Never rejects for anything the service did. */
export async function sendAttempt(
  engine: Engine,
  row: IntentRow,
  allowance: Allowance,
): Promise<Answer> {
  // The process may have been stopped since the attempt was recorded: look at the clocks again.
  const clockHighMs = engine.ledger.clockHighMs();
  const nowMs = Math.trunc(engine.now());
  const why = whyNotNow(engine, row, allowance, { nowMs, clockHighMs });
  if (why !== null) return { reply: 'withheld', detail: why, entityId: null };
  const { noReturnMark, clientTimeoutMs } = engine.target.declaration;
  const boundMs = sendPatience * clientTimeoutMs;
  let isOverdue = false;
  const pass = () => {
    // Its absence may be settled by now, on the ground that it had not come this far.
    if (isOverdue) throw new Error(`attempt ${row.attempts} is overdue and may not be sent`);
    markNoReturn(engine, claimOf(row), row.attempts);
  };
  try {
    const send = engine.target.apply({
      key: row.railKey,
      request: requestOf(row),
      attempt: row.attempts,
      ...(noReturnMark && { markNoReturn: pass }),
    });
    const answer = await bounded(send, boundMs);
    if (answer.kind === 'answered') return readResult(answer.value, row.railKey);
    isOverdue = true;
    engine.overdue.add(row.decisionKey, send);
    return { reply: 'unknown', detail: `apply did not end within ${boundMs} ms`, entityId: null };
  } catch (thrown) {
    return { reply: 'unknown', detail: `apply threw: ${wordsOf(thrown)}`, entityId: null };
  }
}

/** Records the reply and moves the intent to where its attempts put it. */
export function settleAttempt(engine: Engine, row: IntentRow, answer: Answer): IntentRow {
  return engine.ledger.transact((step) => {
    const held = step.held(claimOf(row));
    const settlement = judgeAnswer({
      declaration: engine.target.declaration,
      attempts: engine.ledger.attempts(held),
      current: held.attempts,
      answer,
      windowOpen: isWindowOpen(engine, held, step),
      nowMs: step.nowMs,
    });
    const set = { ...settlement.set, ...(settlement.event !== 'lost-track' && { owner: null }) };
    return step.record(held, settlement.event, { set, attempts: settlement.attempts });
  });
}

export function isWindowOpen(
  engine: Engine,
  row: IntentRow,
  clock: Pick<LedgerStep, 'nowMs' | 'clockHighMs'>,
): boolean {
  const attempts = engine.ledger.attempts(row);
  const { dedupe } = engine.target.declaration;
  return windowState({ dedupe, attempts, ...clock }).kind === 'open';
}

function whyNotNow(
  engine: Engine,
  row: IntentRow,
  allowance: Allowance,
  clock: Pick<LedgerStep, 'nowMs' | 'clockHighMs'>,
): string | null {
  const { nowMs, clockHighMs } = clock;
  if (isExpired(allowance.expiresAtMs, nowMs)) {
    return `lease ${allowance.mandate.lease} has expired`;
  }
  const { dedupe } = engine.target.declaration;
  const window = windowState({ dedupe, attempts: engine.ledger.attempts(row), nowMs, clockHighMs });
  return window.kind === 'over' ? `the dedupe window is over: ${window.why}` : null;
}

function whyNoRoom(engine: Engine, row: IntentRow, allowance: Allowance): string | null {
  const { caps, mandate } = allowance;
  if (caps.length === 0) return null;
  const others = engine.ledger.spendingUnder(mandate.lease, row);
  return whyOverCap({ lease: mandate.lease, caps, request: requestOf(row), others });
}

function newAttempt(mandate: Mandate, startedAtMs: number): AttemptChange['set'] {
  return {
    startedAtMs,
    lease: mandate.lease,
    premises: canonicalJson(mandate.premises),
    noReturnAtMs: null,
    endedAtMs: null,
    reply: null,
    detail: null,
    noEffect: null,
  };
}

/** Durable on return, and refused to an owner that is none any more. */
function markNoReturn(engine: Engine, claim: Claim, attempt: number): void {
  engine.ledger.transact((step) =>
    step.record(step.held(claim), 'mark-no-return', {
      attempts: [{ attempt, set: { noReturnAtMs: step.nowMs } }],
    }),
  );
}

function readResult(result: ApplyResult, railKey: string): Answer {
  switch (result.kind) {
    case 'landed':
      // A reply that carries another stamp speaks of another effect, and so does its entity.
      return result.stamp === railKey
        ? { reply: 'landed', detail: 'landed with our stamp', entityId: result.entityId }
        : {
            reply: 'foreign',
            detail: `expected the stamp ${railKey}, got ${result.stamp ?? 'none'}`,
            entityId: null,
          };
    case 'refused':
      return {
        reply: result.mendable ? 'refused-mendable' : 'refused',
        detail: `refused: ${result.reason}`,
        entityId: null,
      };
    case 'unknown': {
      const { cause } = result;
      const reply = cause === 'in-flight' || cause === 'stored-error' ? cause : 'unknown';
      return { reply, detail: `${cause}: ${result.detail}`, entityId: null };
    }
    default:
      return result satisfies never;
  }
}

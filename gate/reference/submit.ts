/**
 * One submit, told in order: join or record, learn what is open, check, record the attempt, send,
 * settle, answer. The caller holds the turn for this decision in this process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, Proposal } from '../gate.ts';
import { answerFor, answerOf } from './answer.ts';
import { announce, claimOf, type Engine, type Mandate, monotonicMs } from './engine.ts';
import { canonicalJson, type IdentifiedRequest } from './identity.ts';
import { atWork, otherPayload } from './outcome.ts';
import { checkPermission, type Permission } from './permission.ts';
import { learn, needsLearning, takeIntent } from './recovery.ts';
import type { IntentRow } from './schema.ts';
import { recordAttempt, sendAttempt, settleAttempt } from './send.ts';

export async function carryOut(
  engine: Engine,
  wanted: IdentifiedRequest,
  proposal: Proposal,
): Promise<Outcome> {
  const mandate: Mandate = { lease: proposal.lease, premises: proposal.premises };
  const joinUntilMs = monotonicMs() + engine.timing.joinWaitMs;
  let hasLearnt = false;
  for (;;) {
    const row = engine.ledger.live(wanted.decisionKey);
    if (row === null) {
      const proposed = propose(engine, wanted, proposal);
      if (proposed !== null) return await perform(engine, proposed, mandate);
      continue;
    }
    if (row.payloadHash !== wanted.payloadHash) return otherPayload(row, wanted.payloadHash);
    if (isAnswered(row) || (hasLearnt && needsLearning(row))) return answerOf(engine, row);

    const taken = takeIntent(engine, row);
    if (taken.kind === 'owned-alive') {
      if (monotonicMs() >= joinUntilMs) return atWork(row);
      await sleep(engine.timing.pollMs);
      continue;
    }
    if (taken.kind === 'changed') continue;
    if (!needsLearning(taken.row)) return await perform(engine, taken.row, mandate);
    announce(engine, 'recovery:owned', taken.row);
    await learn(engine, taken.row, { mandate, quietSinceMs: monotonicMs() });
    hasLearnt = true;
  }
}

/** From a claimed intent without an open attempt to the submit's last word. */
async function perform(engine: Engine, row: IntentRow, mandate: Mandate): Promise<Outcome> {
  const permission = await checkPermission(engine, row, mandate);
  if (permission.kind !== 'granted') return turnDown(engine, row, mandate, permission);

  const authorized =
    row.state === 'AUTHORIZED'
      ? row
      : engine.ledger.transact((step) =>
          step.record(step.held(claimOf(row)), 'authorize', {
            set: { authorized: 1, evidence: 'lease and premises hold, nothing was sent' },
          }),
        );
  announce(engine, 'before_wal', authorized);

  const { allowance } = permission;
  const recorded = recordAttempt(engine, authorized, allowance);
  if (recorded.kind === 'withheld') {
    return turnDown(engine, authorized, mandate, { kind: 'refused', why: recorded.why });
  }
  announce(engine, 'after_wal_before_call', recorded.row);

  const answer = await sendAttempt(engine, recorded.row, allowance);
  const quietSinceMs = monotonicMs();
  announce(engine, 'after_call_before_commit', recorded.row);

  const settled = settleAttempt(engine, recorded.row, answer);
  const lastWord =
    settled.state === 'UNKNOWN' ? await learn(engine, settled, { mandate, quietSinceMs }) : settled;
  announce(engine, 'after_commit_before_ack', lastWord);
  return answerOf(engine, lastWord);
}

/** Null when another process recorded it while this one waited for the write lock. */
function propose(engine: Engine, wanted: IdentifiedRequest, proposal: Proposal): IntentRow | null {
  return engine.ledger.transact((step) => {
    const live = engine.ledger.live(wanted.decisionKey);
    return live === null ? step.propose(proposedRow(engine, wanted, proposal)) : null;
  });
}

function proposedRow(engine: Engine, wanted: IdentifiedRequest, proposal: Proposal) {
  return {
    decisionKey: wanted.decisionKey,
    payloadHash: wanted.payloadHash,
    requestId: proposal.requestId,
    request: wanted.request,
    identity: canonicalJson(wanted.identity),
    distinctBy: wanted.distinct === null ? null : canonicalJson(wanted.distinct),
    lease: proposal.lease,
    premises: canonicalJson(proposal.premises),
    railKey: wanted.decisionKey,
    owner: engine.lock.id,
  };
}

/** Nothing goes out: records why, and leaves an intent with attempts as settled as it was. */
function turnDown(
  engine: Engine,
  row: IntentRow,
  mandate: Mandate,
  permission: Exclude<Permission, { kind: 'granted' }>,
): Outcome {
  const { why } = permission;
  if (permission.kind === 'could-not-tell') {
    release(engine, row);
    const outcome = answerFor(engine, row.decisionKey);
    return { ...outcome, evidence: `nothing was sent: ${why}; submit it again` };
  }
  const lastWord = engine.ledger.transact((step) => {
    const held = step.held(claimOf(row));
    if (permission.kind === 'uncovered' && held.state === 'PROPOSED') {
      return step.record(held, 'hold', { set: { evidence: why, owner: null } });
    }
    if (held.attempts === 0) {
      return step.record(held, 'block', { set: { authorized: 0, evidence: why, owner: null } });
    }
    // The refusal is of this proposal; what was proven of the earlier attempts stays as it is.
    step.record(held, 'disown', { set: { owner: null } });
    const { lease } = mandate;
    const premises = canonicalJson(mandate.premises);
    return step.proposeBlocked({ ...held, lease, premises, owner: null }, why);
  });
  announce(engine, 'after_commit_before_ack', lastWord);
  return answerFor(engine, row.decisionKey);
}

function release(engine: Engine, row: IntentRow): void {
  engine.ledger.transact((step) =>
    step.record(step.held(claimOf(row)), 'disown', { set: { owner: null } }),
  );
}

/** States in which a submit adds nothing. */
function isAnswered(row: IntentRow): boolean {
  switch (row.state) {
    case 'APPLIED':
    case 'FAILED_TERMINAL':
    case 'BLOCKED':
    case 'AMBIGUOUS':
    case 'HELD':
      return true;
    case 'PROPOSED':
    case 'AUTHORIZED':
    case 'CONFIRMED_NOT_APPLIED':
    case 'IN_FLIGHT':
    case 'UNKNOWN':
    case 'RECONCILING':
    case 'QUARANTINED':
      return false;
    default:
      return row.state satisfies never;
  }
}

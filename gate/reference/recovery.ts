/**
 * Learning what became of an effect: own, look, settle or surface. Nothing here decides whether the
 * effect is still wanted.
 *
 * In: an intent with an attempt that nothing is known of. Out: the same intent settled, or surfaced
 * with the reason why. A look needs no authority. The only thing ever sent is the same key inside
 * its dedupe window, where sending is the look, and only with a live lease and premises that hold.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Premise, TargetDeclaration } from '../../adapters/target.ts';
import type { AttemptChange } from './chain.ts';
import { announce, claimOf, type Engine, type Mandate, monotonicMs } from './engine.ts';
import { openAttempts } from './judge-answer.ts';
import type { LedgerStep } from './ledger.ts';
import { look } from './look.ts';
import { meansOf } from './means.ts';
import { checkPermission } from './permission.ts';
import type { IntentRow, Reply } from './schema.ts';
import { recordAttempt, sendAttempt, settleAttempt } from './send.ts';
import { unsettledStates } from './states.ts';
import { surface } from './surface.ts';

/** Looks and resends for one intent before it is surfaced. */
export const lookLimit = 6;
const firstPauseMs = 20;

export type Taken =
  | { readonly kind: 'taken'; readonly row: IntentRow }
  | { readonly kind: 'owned-alive' }
  /** It was written since `seen` was read. */
  | { readonly kind: 'changed' };

/** Compare-and-set of owner and generation, after the recorded owner was found dead or absent. */
export function takeIntent(engine: Engine, seen: IntentRow): Taken {
  const { owner } = seen;
  if (owner !== null && owner !== engine.lock.id && engine.lock.isAlive(owner)) {
    return { kind: 'owned-alive' };
  }
  return engine.ledger.transact((step): Taken => {
    const now = engine.ledger.intent(seen);
    if (now === null || now.chainSeq !== seen.chainSeq) return { kind: 'changed' };
    const set = { owner: engine.lock.id, generation: now.generation + 1 };
    return { kind: 'taken', row: step.record(now, 'own', { set }) };
  });
}

export function needsLearning(row: IntentRow): boolean {
  return unsettledStates.includes(row.state) || row.state === 'QUARANTINED';
}

export interface LearnOptions {
  /** Under whose word a resend goes out; null: the word of the last attempt. */
  readonly mandate: Mandate | null;
  /** When, on the monotonic clock, it became certain that nobody sends any more. */
  readonly quietSinceMs: number;
}

/** Returns the intent settled or surfaced, and owned by nobody. */
export async function learn(
  engine: Engine,
  owned: IntentRow,
  options: LearnOptions,
): Promise<IntentRow> {
  const { declaration } = engine.target;
  const reopened = owned.state === 'QUARANTINED';
  let row = toUnknown(engine, owned);
  // Whoever asks again after the means ran out is owed one more look, not six.
  const limit = reopened ? Math.max(lookLimit, row.looks + 1) : lookLimit;
  let quietSinceMs = options.quietSinceMs;
  let whyNoResend: string | null = null;

  for (let tries = 0; row.state === 'UNKNOWN'; ) {
    const means = meansOf(engine, row, whyNoResend);
    if (means === 'none' || row.looks >= limit) return surface(engine, row, whyNoResend);
    await pauseBefore(tries, declaration, lastReply(engine, row));
    switch (means) {
      case 'resend': {
        const resent = await resend(engine, row, options.mandate ?? lastMandate(engine, row));
        if (resent.kind === 'not-sent') {
          whyNoResend = resent.why;
          continue;
        }
        row = resent.row;
        whyNoResend = resent.whyNoFurther;
        quietSinceMs = monotonicMs();
        break;
      }
      case 'look':
        row = await look(engine, row, quietSinceMs);
        break;
      default:
        means satisfies never;
    }
    tries += 1;
  }
  return row;
}

/** What an incarnation that has just taken an intent over knows of its open attempts. */
function toUnknown(engine: Engine, owned: IntentRow): IntentRow {
  return engine.ledger.transact((step) => {
    const held = step.held(claimOf(owned));
    switch (held.state) {
      case 'IN_FLIGHT':
        return abandonFlight(engine, step, held);
      case 'RECONCILING':
        return step.record(held, 'inconclusive', { set: { evidence: 'the look was cut short' } });
      case 'QUARANTINED':
        return step.record(held, 'reopen', { set: { evidence: 'asked again' } });
      default:
        return held;
    }
  });
}

function abandonFlight(engine: Engine, step: LedgerStep, held: IntentRow): IntentRow {
  const open = openAttempts(engine.ledger.attempts(held));
  const unmarked = engine.target.declaration.noReturnMark
    ? open.filter((attempt) => attempt.noReturnAtMs === null)
    : [];
  const proven = unmarked.map(
    ({ attempt }): AttemptChange => ({ attempt, set: { noEffect: 'before-no-return' } }),
  );
  if (open.length > 0 && unmarked.length === open.length) {
    return step.record(held, 'proved-absent', {
      set: {
        absenceEvidence: 'before-no-return',
        evidence: 'its sender died before the point of no return',
        owner: null,
      },
      attempts: proven,
    });
  }
  const evidence = `the sender of attempt ${held.attempts} died before it recorded an answer`;
  return step.record(held, 'lost-track', { set: { evidence }, attempts: proven });
}

type Resent =
  | { readonly kind: 'not-sent'; readonly why: string }
  | {
      readonly kind: 'sent';
      readonly row: IntentRow;
      /** Set when sending the key once more would teach nothing. */
      readonly whyNoFurther: string | null;
    };

async function resend(engine: Engine, row: IntentRow, mandate: Mandate): Promise<Resent> {
  const permission = await checkPermission(engine, row, mandate);
  if (permission.kind !== 'granted') return { kind: 'not-sent', why: permission.why };
  const { allowance } = permission;
  const recorded = recordAttempt(engine, row, allowance);
  if (recorded.kind === 'withheld') return { kind: 'not-sent', why: recorded.why };
  announce(engine, 'recovery:before-resend', recorded.row);
  const answer = await sendAttempt(engine, recorded.row, allowance);
  announce(engine, 'recovery:before-settle', recorded.row);
  const settled = settleAttempt(engine, recorded.row, answer);
  const isRefusal = answer.reply === 'refused' || answer.reply === 'withheld';
  const canAskInstead =
    answer.reply === 'refused-mendable' && engine.target.declaration.lookup !== null;
  return {
    kind: 'sent',
    row: settled,
    whyNoFurther: isRefusal || canAskInstead ? answer.detail : null,
  };
}

function lastMandate(engine: Engine, row: IntentRow): Mandate {
  const last = engine.ledger.attempts(row).at(-1) ?? row;
  return { lease: last.lease, premises: JSON.parse(last.premises) as readonly Premise[] };
}

/**
 * First at once, then after pauses that double up to the client's own patience. A service that is
 * still at work on this key is given time of its own scale, the first time too.
 */
async function pauseBefore(
  tries: number,
  declaration: TargetDeclaration,
  reply: Reply | null,
): Promise<void> {
  const isAtWork = reply === 'in-flight';
  if (tries === 0 && !isAtWork) return;
  const doubledMs = firstPauseMs * 2 ** Math.max(0, tries - 1);
  const leastMs = isAtWork ? declaration.clientTimeoutMs / 4 : 0;
  await sleep(Math.min(Math.max(doubledMs, leastMs), declaration.clientTimeoutMs));
}

function lastReply(engine: Engine, row: IntentRow): Reply | null {
  return engine.ledger.attempts(row).at(-1)?.reply ?? null;
}

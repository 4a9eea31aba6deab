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
import { bounded } from '../bounded.ts';
import type { AttemptChange } from './chain.ts';
import {
  announce,
  claimOf,
  type Engine,
  type Mandate,
  monotonicMs,
  requestOf,
  waitSince,
  wordsOf,
} from './engine.ts';
import type { LedgerStep } from './ledger.ts';
import { lookPatience } from './overdue.ts';
import { checkPermission } from './permission.ts';
import type { IntentRow, Reply } from './schema.ts';
import { isWindowOpen, openAttempts, recordAttempt, sendAttempt, settleAttempt } from './send.ts';
import { unsettledStates } from './states.ts';

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

function meansOf(
  engine: Engine,
  row: IntentRow,
  whyNoResend: string | null,
): 'resend' | 'look' | 'none' {
  if (whyNoResend === null && resendIsLook(engine, row)) return 'resend';
  return engine.target.declaration.lookup === null ? 'none' : 'look';
}

/** A key that only replays a stored failure tells nothing more, however often it is sent. */
function resendIsLook(engine: Engine, row: IntentRow): boolean {
  const attempts = engine.ledger.attempts(row);
  if (attempts.some((attempt) => attempt.reply === 'stored-error')) return false;
  const clockHighMs = engine.ledger.clockHighMs();
  return isWindowOpen(engine, row, { nowMs: Math.trunc(engine.now()), clockHighMs });
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

async function look(engine: Engine, row: IntentRow, quietSinceMs: number): Promise<IntentRow> {
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

/**
 * How long after the last sender fell silent a look may start. A fence stops what is still on its
 * way, so it needs no wait; a bound is worth nothing before it has passed, and an index lags.
 */
export function lookNotBeforeMs(declaration: TargetDeclaration): number {
  const lagMs = declaration.lookup?.lagMs ?? 0;
  if (declaration.absence === 'fence') return 0;
  return declaration.absence === 'never' ? lagMs : declaration.absence.landingBoundMs + lagMs;
}

type Seen =
  | { readonly kind: 'found'; readonly entityId: string }
  | { readonly kind: 'absent'; readonly proof: 'last-page' | 'fence' }
  | { readonly kind: 'many'; readonly entityIds: readonly string[] }
  | { readonly kind: 'could-not-tell'; readonly detail: string };

/**
 * One look. Anything but a whole and final answer could not tell. `isSilent`: no call of ours may
 * still send; a wait for what was sent is worth nothing before. A fence stops that too.
 */
async function askService(engine: Engine, row: IntentRow, isSilent: boolean): Promise<Seen> {
  const { target } = engine;
  const call = { key: row.railKey, request: requestOf(row) };
  try {
    if (target.declaration.absence === 'fence') {
      if (target.fence === undefined)
        throw new Error(`${target.name} declares a fence and has none`);
      const fenced = await inTime(engine, target.fence(call));
      return fenced.kind === 'planted' ? { kind: 'absent', proof: 'fence' } : fenced;
    }
    if (target.query === undefined)
      throw new Error(`${target.name} declares a lookup and has none`);
    const result = await inTime(engine, target.query(call));
    if (result.kind !== 'absent') return result;
    if (result.complete !== true) return { kind: 'could-not-tell', detail: 'a page was missing' };
    if (target.declaration.absence === 'never' || !isSilent) {
      const detail = isSilent
        ? 'nothing there yet, and nothing says it can’t still land'
        : 'nothing there yet, and a call of this process has not ended and may still send';
      return { kind: 'could-not-tell', detail };
    }
    return { kind: 'absent', proof: 'last-page' };
  } catch (thrown) {
    return { kind: 'could-not-tell', detail: wordsOf(thrown) };
  }
}

/** Rejects when the target does not end its call; what it says later is not heard. */
async function inTime<T>(engine: Engine, call: Promise<T>): Promise<T> {
  const boundMs = lookPatience * engine.target.declaration.clientTimeoutMs;
  const answer = await bounded(call, boundMs);
  if (answer.kind === 'overdue') throw new Error(`the look did not end within ${boundMs} ms`);
  return answer.value;
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

/** Hands it to a person: what could still be learnt apart from what nobody can know. */
function surface(engine: Engine, row: IntentRow, whyNoResend: string | null): IntentRow {
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

/**
 * Whether a send is allowed now: the lease lives and covers it, and the facts it was decided on
 * still hold. Reads only. An authority that can't be asked counts as dead.
 */
import type { PremiseCheck } from '../../adapters/target.ts';
import { bounded } from '../bounded.ts';
import type { LeaseCap, LeaseState } from '../gate.ts';
import { readLeaseState } from '../lease.ts';
import { whyNotCapped } from './caps.ts';
import { type Engine, type Mandate, requestOf, wordsOf } from './engine.ts';
import type { Distinct } from './identity.ts';
import { lookPatience } from './overdue.ts';
import type { IntentRow } from './schema.ts';

export type Permission =
  | { readonly kind: 'granted'; readonly allowance: Allowance }
  | { readonly kind: 'refused'; readonly why: string }
  /** The lease lives, the stated reason is not among those it covers. */
  | { readonly kind: 'uncovered'; readonly why: string }
  | { readonly kind: 'could-not-tell'; readonly why: string };

/** What a check allows; the attempt is recorded and sent within it. */
export interface Allowance {
  readonly mandate: Mandate;
  /** Null when the lease has no end of its own. */
  readonly expiresAtMs: number | null;
  /** As the authority answered this very check. */
  readonly caps: readonly LeaseCap[];
}

/** One check and two more, because a lost read is no change of the world. */
const premiseTries = 3;

export async function checkPermission(
  engine: Engine,
  row: IntentRow,
  mandate: Mandate,
): Promise<Permission> {
  const lease = await askAuthority(engine, mandate.lease);
  if (lease.kind === 'dead') {
    return { kind: 'refused', why: `lease ${mandate.lease} is dead: ${lease.reason}` };
  }
  if (isExpired(lease.expiresAtMs, engine.now())) {
    return { kind: 'refused', why: `lease ${mandate.lease} has expired` };
  }
  const caps = lease.caps ?? [];
  // Before the reason: what a person approves must still fit the lease.
  const notCapped = whyNotCapped(mandate.lease, caps, requestOf(row));
  if (notCapped !== null) return { kind: 'refused', why: notCapped };
  const reason = statedReason(row);
  if (reason !== null && row.approvedBy === null && !lease.coversReasons.includes(reason)) {
    return {
      kind: 'uncovered',
      why: `lease ${mandate.lease} does not cover the reason "${reason}"; a person must approve it`,
    };
  }
  const check = await checkPremises(engine, row, mandate);
  switch (check.kind) {
    case 'hold':
      return { kind: 'granted', allowance: { mandate, expiresAtMs: lease.expiresAtMs, caps } };
    case 'stale':
      return {
        kind: 'refused',
        why:
          `premise ${check.fact} is stale: expected ${JSON.stringify(check.expected)}, ` +
          `found ${JSON.stringify(check.found)}`,
      };
    case 'could-not-tell':
      return { kind: 'could-not-tell', why: `premises could not be read: ${check.detail}` };
    default:
      return check satisfies never;
  }
}

export function isExpired(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs;
}

async function askAuthority(engine: Engine, lease: string): Promise<LeaseState> {
  const timeoutMs = engine.timing.authorityTimeoutMs;
  try {
    const answer = await bounded(engine.authority.check(lease), timeoutMs);
    if (answer.kind === 'answered') return readLeaseState(answer.value);
    return { kind: 'dead', reason: `no answer within ${timeoutMs} ms` };
  } catch (thrown) {
    return { kind: 'dead', reason: `the authority could not be asked: ${wordsOf(thrown)}` };
  }
}

async function checkPremises(
  engine: Engine,
  row: IntentRow,
  mandate: Mandate,
): Promise<PremiseCheck> {
  if (mandate.premises.length === 0) return { kind: 'hold' };
  const boundMs = lookPatience * engine.target.declaration.clientTimeoutMs;
  let check: PremiseCheck = { kind: 'could-not-tell', detail: 'never asked' };
  for (let tries = 0; tries < premiseTries; tries += 1) {
    try {
      const call = engine.target.validate(requestOf(row), mandate.premises, row.railKey);
      const answer = await bounded(call, boundMs);
      if (answer.kind === 'overdue') {
        return { kind: 'could-not-tell', detail: `validate did not end within ${boundMs} ms` };
      }
      check = answer.value;
    } catch (thrown) {
      check = { kind: 'could-not-tell', detail: wordsOf(thrown) };
    }
    if (check.kind !== 'could-not-tell') return check;
  }
  return check;
}

function statedReason(row: IntentRow): string | null {
  if (row.distinctBy === null) return null;
  const distinct = JSON.parse(row.distinctBy) as Distinct;
  return 'reason' in distinct ? distinct.reason : null;
}

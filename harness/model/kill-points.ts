/**
 * The places in an effect's life where a subject is killed, as data. `docs/` and messages are
 * rendered from this table.
 */
import type { AnnouncedPoint } from '../../gate/gate.ts';

export type KillPoint =
  | 'before_wal'
  | 'after_wal_before_call'
  | 'during_call:now'
  | 'during_call:later'
  | 'during_call:never'
  | 'after_call_before_commit'
  | 'after_commit_before_ack';

/** The places in a recovery where it is killed in its turn. */
export const recoveryPoints = [
  'owned',
  'before-lookup',
  'after-lookup',
  'before-resend',
  'before-settle',
] as const;
export type RecoveryPoint = (typeof recoveryPoints)[number];

export const recoveryPointGlosses: Readonly<Record<RecoveryPoint, string>> = {
  owned: 'recovery had taken the intent over',
  'before-lookup': 'the look was counted, the service had not been asked',
  'after-lookup': 'the service had been asked, its answer was not recorded',
  'before-resend': 'the next attempt was durable, nothing had been sent',
  'before-settle': 'what became of the effect was known, and not recorded',
};

export interface KillPointFacts {
  readonly point: KillPoint;
  /** What people are shown beside the id. */
  readonly gloss: string;
  /** What the ledger holds when the process dies here. */
  readonly ledger: string;
  /** What the service has seen by then. */
  readonly rail: string;
  /** `announced` needs the subject's help; `wire` needs nothing from it. */
  readonly placedBy: 'announced' | 'wire';
}

export const killPoints: readonly KillPointFacts[] = [
  {
    point: 'before_wal',
    gloss: "before the intent's attempt was durable",
    ledger: 'intent and payload hash recorded, no attempt',
    rail: 'nothing',
    placedBy: 'announced',
  },
  {
    point: 'after_wal_before_call',
    gloss: 'the attempt was durable, nothing had been sent',
    ledger: 'attempt in flight',
    rail: 'not one byte',
    placedBy: 'announced',
  },
  {
    point: 'during_call:now',
    gloss: 'the request took effect, its answer never came back',
    ledger: 'attempt in flight',
    rail: 'the whole request, and it took effect',
    placedBy: 'wire',
  },
  {
    point: 'during_call:later',
    gloss: 'the request was under way and took effect after the sender was dead',
    ledger: 'attempt in flight',
    rail: 'the whole request, taking effect after the sender is dead',
    placedBy: 'wire',
  },
  {
    point: 'during_call:never',
    gloss: 'the request was under way and was lost',
    ledger: 'attempt in flight',
    rail: 'the whole request, which never takes effect',
    placedBy: 'wire',
  },
  {
    point: 'after_call_before_commit',
    gloss: 'the call had ended, its result was not recorded',
    ledger: 'attempt in flight',
    rail: 'the call returned or threw',
    placedBy: 'announced',
  },
  {
    point: 'after_commit_before_ack',
    gloss: 'the result was recorded, the caller had not been told',
    ledger: "submit's last word: settled or surfaced",
    rail: 'as recorded',
    placedBy: 'announced',
  },
];

export const killPointNames = killPoints.map((facts) => facts.point);

export function killPointFacts(point: KillPoint): KillPointFacts {
  const facts = killPoints.find((candidate) => candidate.point === point);
  if (facts === undefined) throw new Error(`no such kill point: ${point}`);
  return facts;
}

/** The announced point a kill waits for, or null where the wire places it. */
export function announcedPointOf(point: KillPoint): AnnouncedPoint | null {
  switch (point) {
    case 'before_wal':
    case 'after_wal_before_call':
    case 'after_call_before_commit':
    case 'after_commit_before_ack':
      return point;
    case 'during_call:now':
    case 'during_call:later':
    case 'during_call:never':
      return null;
    default:
      return point satisfies never;
  }
}

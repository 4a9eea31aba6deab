/**
 * The places in an effect's life where a subject is killed, as data. `docs/` and messages are
 * rendered from this table.
 */
import type { AnnouncedPoint } from '../../gate/gate.ts';

/** The points with a name of their own: the places in an effect's life. */
export type NamedKillPoint =
  | 'before_wal'
  | 'after_wal_before_call'
  | 'during_call:now'
  | 'during_call:later'
  | 'during_call:never'
  | 'after_call_before_commit'
  | 'after_commit_before_ack';

/** Places the wire can find by itself, for subjects that announce nothing. */
export type WireKillPoint =
  | 'wire:connection'
  | 'wire:first-byte'
  | 'wire:half-request'
  | 'wire:whole-request'
  | 'wire:applied'
  | 'wire:first-reply-byte'
  | 'wire:half-reply'
  | 'wire:whole-reply';

/** A place inside the service, for rails that can hold their own work. */
export type RailKillPoint = 'during_call:running';

export type KillPoint = NamedKillPoint | RailKillPoint | WireKillPoint;

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
  /** `announced` needs the subject's help; `wire` and `rail` need nothing from it. */
  readonly placedBy: 'announced' | 'wire' | 'rail';
}

/** A place on the wire, and the named points it comes down to: none where it can't tell which. */
export interface WireKillPointFacts extends KillPointFacts {
  readonly point: WireKillPoint;
  readonly standsFor: NamedKillPoint | null;
}

export const killPoints: readonly (KillPointFacts & { readonly point: NamedKillPoint })[] = [
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

export const killPointNames: readonly NamedKillPoint[] = killPoints.map((facts) => facts.point);

export const railKillPoints: readonly (KillPointFacts & { readonly point: RailKillPoint })[] = [
  {
    point: 'during_call:running',
    gloss: 'the service was at work on the request, and finished it after the sender was dead',
    ledger: 'attempt in flight',
    rail: 'the whole request, begun before the sender is dead and taking effect after',
    placedBy: 'rail',
  },
];

const unrecorded = 'attempt in flight, where the gate writes before it calls';

export const wireKillPoints: readonly WireKillPointFacts[] = [
  {
    point: 'wire:connection',
    gloss: 'a connection stood, not one byte had been read from it',
    ledger: unrecorded,
    rail: 'not one byte',
    placedBy: 'wire',
    standsFor: 'after_wal_before_call',
  },
  {
    point: 'wire:first-byte',
    gloss: 'the first byte of the request had come',
    ledger: unrecorded,
    rail: 'not one byte',
    placedBy: 'wire',
    standsFor: 'after_wal_before_call',
  },
  {
    point: 'wire:half-request',
    gloss: 'half of the request had reached the service',
    ledger: unrecorded,
    rail: 'half a request, which can’t take effect',
    placedBy: 'wire',
    standsFor: 'during_call:never',
  },
  {
    point: 'wire:whole-request',
    gloss: 'the whole request was under way and was lost',
    ledger: unrecorded,
    rail: 'the whole request, which never takes effect',
    placedBy: 'wire',
    standsFor: 'during_call:never',
  },
  {
    point: 'wire:applied',
    gloss: 'the request took effect, not one byte of its answer came back',
    ledger: unrecorded,
    rail: 'the whole request, and it took effect',
    placedBy: 'wire',
    standsFor: 'during_call:now',
  },
  {
    point: 'wire:first-reply-byte',
    gloss: 'the request took effect, the first byte of its answer came back',
    ledger: unrecorded,
    rail: 'the whole request, and it took effect',
    placedBy: 'wire',
    standsFor: 'during_call:now',
  },
  {
    point: 'wire:half-reply',
    gloss: 'the request took effect, half of its answer came back',
    ledger: unrecorded,
    rail: 'the whole request, and it took effect',
    placedBy: 'wire',
    standsFor: 'during_call:now',
  },
  {
    point: 'wire:whole-reply',
    gloss: 'the whole answer was handed over; whether it was recorded nobody can say',
    ledger: 'attempt in flight, or settled: the wire can’t tell',
    rail: 'the whole request, and it took effect',
    placedBy: 'wire',
    standsFor: null,
  },
];

/** Every point, in the order of an effect's life within the named, the rail's and the wire's. */
export const allKillPoints: readonly KillPoint[] = [
  ...killPointNames,
  ...railKillPoints.map((facts) => facts.point),
  ...wireKillPoints.map((facts) => facts.point),
];

export function killPointFacts(point: KillPoint): KillPointFacts {
  const facts = [...killPoints, ...railKillPoints, ...wireKillPoints].find(
    (candidate) => candidate.point === point,
  );
  if (facts === undefined) throw new Error(`no such kill point: ${point}`);
  return facts;
}

/** The announced point a kill waits for, or null where the wire or the rail places it. */
export function announcedPointOf(
  point: KillPoint | `recovery:${RecoveryPoint}`,
): AnnouncedPoint | null {
  switch (point) {
    case 'before_wal':
    case 'after_wal_before_call':
    case 'after_call_before_commit':
    case 'after_commit_before_ack':
    case 'recovery:owned':
    case 'recovery:before-lookup':
    case 'recovery:after-lookup':
    case 'recovery:before-resend':
    case 'recovery:before-settle':
      return point;
    case 'during_call:now':
    case 'during_call:later':
    case 'during_call:never':
    case 'during_call:running':
    case 'wire:connection':
    case 'wire:first-byte':
    case 'wire:half-request':
    case 'wire:whole-request':
    case 'wire:applied':
    case 'wire:first-reply-byte':
    case 'wire:half-reply':
    case 'wire:whole-reply':
      return null;
    default:
      return point satisfies never;
  }
}

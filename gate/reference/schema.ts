/**
 * The ledger's tables. STRICT, so that SQLite refuses a value of the wrong type; CHECKs, so that a
 * claim without its evidence can't be stored by any code, ours included.
 */
import { states } from './states.ts';

export const schemaVersion = 2;

/** What can prove that no attempt had an effect. */
export const absenceEvidences = [
  'last-page',
  'fence',
  'definite-refusal',
  'before-no-return',
  'person',
] as const;
export type AbsenceEvidence = (typeof absenceEvidences)[number];

/**
 * One row for each proposal of a decision. At most one of them is not BLOCKED, and attempts belong
 * to that one only: a refusal before any attempt leaves the key free.
 */
export interface IntentRow {
  readonly decisionKey: string;
  /** From 1, rising with each proposal under the key. */
  readonly proposal: number;
  readonly payloadHash: string;
  /** The caller's name for the request that was recorded first. */
  readonly requestId: string;
  /** Canonical JSON, frozen. */
  readonly request: string;
  readonly identity: string;
  readonly distinctBy: string | null;
  readonly lease: string;
  readonly premises: string;
  /** The key the service sees and the stamp an effect must carry; read back, never recomputed. */
  readonly railKey: string;
  readonly state: (typeof states)[number];
  /** 1 once lease and premises held. */
  readonly authorized: number;
  readonly approvedBy: string | null;
  readonly attempts: number;
  /** Looks and same-key resends since the last attempt that was no resend. */
  readonly looks: number;
  /** The incarnation at work on it; null when nobody is. */
  readonly owner: string | null;
  readonly generation: number;
  readonly entityId: string | null;
  readonly absenceEvidence: AbsenceEvidence | null;
  readonly lastPage: number | null;
  readonly resolvedBy: string | null;
  /** What the state rests on, in words. */
  readonly evidence: string;
  readonly proposedAtMs: number;
  readonly changedAtMs: number;
  /** The chain entry that wrote this row last. */
  readonly chainSeq: number;
}

export interface AttemptRow {
  readonly decisionKey: string;
  readonly proposal: number;
  /** Strictly rising, from 1. */
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly lease: string;
  readonly premises: string;
  /** When the target was about to pass the point of no return; null: it had not. */
  readonly noReturnAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly reply: Reply | null;
  readonly detail: string | null;
  /** Proof that this attempt had no effect and can't have one. */
  readonly noEffect: AbsenceEvidence | null;
}

export const replies = [
  'landed',
  'foreign',
  'refused',
  'refused-mendable',
  'unknown',
  'in-flight',
  'stored-error',
  'withheld',
] as const;
export type Reply = (typeof replies)[number];

export const schema = `
CREATE TABLE intents (
  decisionKey TEXT NOT NULL CHECK (length(decisionKey) = 64),
  proposal INTEGER NOT NULL CHECK (proposal >= 1),
  payloadHash TEXT NOT NULL CHECK (length(payloadHash) = 64),
  requestId TEXT NOT NULL,
  request TEXT NOT NULL,
  identity TEXT NOT NULL,
  distinctBy TEXT,
  lease TEXT NOT NULL,
  premises TEXT NOT NULL,
  railKey TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN (${list(states)})),
  authorized INTEGER NOT NULL CHECK (authorized IN (0, 1)),
  approvedBy TEXT,
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  looks INTEGER NOT NULL CHECK (looks >= 0),
  owner TEXT,
  generation INTEGER NOT NULL,
  entityId TEXT,
  absenceEvidence TEXT,
  lastPage INTEGER,
  resolvedBy TEXT,
  evidence TEXT NOT NULL,
  proposedAtMs INTEGER NOT NULL,
  changedAtMs INTEGER NOT NULL,
  chainSeq INTEGER NOT NULL,
  PRIMARY KEY (decisionKey, proposal),
  -- IS and not =, because a CHECK that comes out NULL passes.
  CONSTRAINT absenceNeedsEvidence CHECK (
    state <> 'CONFIRMED_NOT_APPLIED'
    OR (absenceEvidence IS 'last-page' AND lastPage IS 1)
    OR absenceEvidence IS 'fence'
    OR absenceEvidence IS 'definite-refusal'
    OR absenceEvidence IS 'before-no-return'
    OR (absenceEvidence IS 'person' AND resolvedBy IS NOT NULL AND resolvedBy <> '')
  ),
  CONSTRAINT appliedNeedsEntityOrPerson CHECK (
    state <> 'APPLIED' OR entityId IS NOT NULL OR (resolvedBy IS NOT NULL AND resolvedBy <> '')
  ),
  CONSTRAINT blockedOnlyBeforeAttempts CHECK (state <> 'BLOCKED' OR attempts = 0),
  CONSTRAINT flightNeedsAttemptAndOwner CHECK (
    state <> 'IN_FLIGHT' OR (attempts >= 1 AND owner IS NOT NULL)
  )
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX oneLiveProposal ON intents (decisionKey) WHERE state <> 'BLOCKED';
CREATE INDEX openIntents ON intents (state)
  WHERE state IN ('IN_FLIGHT', 'UNKNOWN', 'RECONCILING', 'QUARANTINED');
CREATE INDEX ownedIntents ON intents (owner) WHERE owner IS NOT NULL;

CREATE TABLE attempts (
  decisionKey TEXT NOT NULL,
  proposal INTEGER NOT NULL,
  attempt INTEGER NOT NULL CHECK (attempt >= 1),
  startedAtMs INTEGER NOT NULL,
  lease TEXT NOT NULL,
  premises TEXT NOT NULL,
  noReturnAtMs INTEGER,
  endedAtMs INTEGER,
  reply TEXT CHECK (reply IN (${list(replies)})),
  detail TEXT,
  noEffect TEXT CHECK (noEffect IN (${list(absenceEvidences)})),
  PRIMARY KEY (decisionKey, proposal, attempt),
  FOREIGN KEY (decisionKey, proposal) REFERENCES intents (decisionKey, proposal)
) STRICT, WITHOUT ROWID;

-- What counts against a lease's caps: each attempt that had an effect or may have had one.
CREATE INDEX spendingByLease ON attempts (lease) WHERE noEffect IS NULL;

CREATE TABLE chain (
  seq INTEGER PRIMARY KEY,
  atMs INTEGER NOT NULL,
  clockHighMs INTEGER NOT NULL,
  body TEXT NOT NULL,
  prevHash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE checkpoints (
  seq INTEGER PRIMARY KEY,
  hash TEXT NOT NULL
) STRICT;
`;

function list(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ');
}

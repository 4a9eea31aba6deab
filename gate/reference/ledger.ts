/**
 * The gate's durable record: SQLite in WAL mode with FULL sync, shared by any number of gate
 * processes on one machine. Every change of an intent goes through `transact` and `record`, which
 * write the row, its attempts and the chain entry together or not at all. Nothing here sends.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Spending } from './caps.ts';
import {
  type AttemptChange,
  type ChainBody,
  type ChainRow,
  chainStart,
  checkpointEvery,
  type IntentPatch,
  type Note,
  nextEntry,
} from './chain.ts';
import { canonicalJson } from './identity.ts';
import { type AttemptRow, type IntentRow, schema, schemaVersion } from './schema.ts';
import { type GateEvent, gateEvents, transition } from './states.ts';

/** How long one process waits for another's transaction. */
const busyTimeoutMs = 5_000;

/** Only attempts of the one lease are read, whatever else the ledger holds. */
export const spendingSql = `
  SELECT requestId, request FROM (
    SELECT DISTINCT decisionKey, proposal FROM attempts INDEXED BY spendingByLease
    WHERE lease = ? AND noEffect IS NULL
  ) CROSS JOIN intents USING (decisionKey, proposal)
  WHERE NOT (decisionKey = ? AND proposal = ?)`;

export interface Change {
  readonly set?: Omit<IntentPatch, 'state' | 'changedAtMs'>;
  readonly attempts?: readonly AttemptChange[];
}

export interface IntentId {
  readonly decisionKey: string;
  readonly proposal: number;
}

/** Proof that an incarnation was given an intent; every later write asks for it. */
export interface Claim extends IntentId {
  readonly owner: string;
  readonly generation: number;
}

export class LedgerError extends Error {
  override readonly name = 'LedgerError';
}

/** The intent went to another incarnation; whoever sees this must neither write nor send. */
export class OwnershipLostError extends Error {
  override readonly name = 'OwnershipLostError';
}

export function ledgerFile(folder: string): string {
  return join(folder, 'ledger.sqlite');
}

export class Ledger {
  readonly #db: Database.Database;
  readonly #now: () => number;
  readonly #statements = new Map<string, Database.Statement>();
  #assertedAfterWrite = false;

  constructor(folder: string, now: () => number) {
    mkdirSync(folder, { recursive: true });
    this.#now = now;
    this.#db = new Database(ledgerFile(folder), { timeout: busyTimeoutMs });
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.pragma('foreign_keys = ON');
    this.#createTables(folder);
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /** The one proposal of a decision that is not BLOCKED. */
  live(decisionKey: string): IntentRow | null {
    return this.#get<IntentRow>(
      "SELECT * FROM intents WHERE decisionKey = ? AND state <> 'BLOCKED'",
      decisionKey,
    );
  }

  latest(decisionKey: string): IntentRow | null {
    return this.#get<IntentRow>(
      'SELECT * FROM intents WHERE decisionKey = ? ORDER BY proposal DESC LIMIT 1',
      decisionKey,
    );
  }

  intent(id: IntentId): IntentRow | null {
    return this.#get<IntentRow>(
      'SELECT * FROM intents WHERE decisionKey = ? AND proposal = ?',
      id.decisionKey,
      id.proposal,
    );
  }

  attempts(id: IntentId): readonly AttemptRow[] {
    return this.#all<AttemptRow>(
      'SELECT * FROM attempts WHERE decisionKey = ? AND proposal = ? ORDER BY attempt',
      id.decisionKey,
      id.proposal,
    );
  }

  /** Intents that a recovery has to look after. */
  open(): readonly IntentId[] {
    return this.#all<IntentId>(
      `SELECT decisionKey, proposal FROM intents
       WHERE state IN ('IN_FLIGHT', 'UNKNOWN', 'RECONCILING', 'QUARANTINED')
       ORDER BY proposedAtMs, decisionKey`,
    );
  }

  /**
   * The effects under a lease that have happened or may have, apart from one intent. That is the
   * reservation against the lease's caps: no book of its own that a crash could part from the
   * attempts, and given back by the very write that proves an attempt without effect.
   *
   * An intent counts under every lease of such an attempt, not under the last one alone. A resend
   * under another lease proves nothing of the attempt before it: were the earlier lease let go, it
   * could be spent once more while what was sent under it may still take effect.
   */
  spendingUnder(lease: string, apart: IntentId): Iterable<Spending> {
    return this.#statement(spendingSql).iterate(
      lease,
      apart.decisionKey,
      apart.proposal,
    ) as Iterable<Spending>;
  }

  namesOwner(owner: string): boolean {
    return this.#get('SELECT 1 FROM intents WHERE owner = ? LIMIT 1', owner) !== null;
  }

  clockHighMs(): number {
    return this.#tail().clockHighMs;
  }

  chainEntry(seq: number): ChainRow | null {
    return this.#get<ChainRow>('SELECT * FROM chain WHERE seq = ?', seq);
  }

  /** Reads from one moment, whatever other processes write meanwhile. */
  inspect<T>(read: (db: Database.Database) => T): T {
    return this.#db.transaction(() => read(this.#db)).deferred();
  }

  /** One durable step. `work` sees the ledger alone and must neither wait nor call out. */
  transact<T>(work: (step: LedgerStep) => T): T {
    const result = this.#db
      .transaction(() => {
        // Read under the write lock, so that times in the chain follow its order.
        const nowMs = Math.trunc(this.#now());
        return work({
          nowMs,
          clockHighMs: this.clockHighMs(),
          held: (claim) => this.#held(claim),
          propose: (row) => this.#propose(row, null, nowMs),
          proposeBlocked: (row, why) => this.#propose(row, why, nowMs),
          record: (row, event, change) => this.#record(row, event, change ?? {}, nowMs),
        });
      })
      .immediate();
    if (!this.#assertedAfterWrite) {
      assertDurable(this.#db);
      this.#assertedAfterWrite = true;
    }
    return result;
  }

  close(): void {
    this.#db.close();
  }

  #createTables(folder: string): void {
    const create = this.#db.transaction(() => {
      const version = this.#db.pragma('user_version', { simple: true });
      if (version === schemaVersion) return false;
      if (version !== 0) {
        throw new LedgerError(
          `expected a ledger of version ${schemaVersion} in ${folder}, found version ${String(version)}; ` +
            'use the gate that wrote it, or another folder',
        );
      }
      this.#db.exec(schema);
      this.#db.pragma(`user_version = ${schemaVersion}`);
      return true;
    });
    if (this.#db.pragma('user_version', { simple: true }) === schemaVersion) return;
    create.immediate();
    assertDurable(this.#db);
  }

  #held(claim: Claim): IntentRow {
    const row = this.intent(claim);
    if (row === null || row.owner !== claim.owner || row.generation !== claim.generation) {
      throw new OwnershipLostError(
        `expected intent ${claim.decisionKey} to be owned by ${claim.owner} in generation ` +
          `${claim.generation}, found ${row?.owner ?? 'nobody'} in generation ${row?.generation ?? 0}; ` +
          'another incarnation took it over, ask it instead',
      );
    }
    return row;
  }

  #propose(row: ProposedRow, blockedBecause: string | null, nowMs: number): IntentRow {
    const proposal = (this.latest(row.decisionKey)?.proposal ?? 0) + 1;
    const { decisionKey } = row;
    const set: IntentPatch = {
      payloadHash: row.payloadHash,
      requestId: row.requestId,
      request: row.request,
      identity: row.identity,
      distinctBy: row.distinctBy,
      lease: row.lease,
      premises: row.premises,
      railKey: row.railKey,
      owner: row.owner,
      state: blockedBecause === null ? 'PROPOSED' : 'BLOCKED',
      authorized: 0,
      approvedBy: null,
      attempts: 0,
      looks: 0,
      generation: 1,
      entityId: null,
      absenceEvidence: null,
      lastPage: null,
      resolvedBy: null,
      evidence: blockedBecause ?? 'recorded, nothing was sent',
      proposedAtMs: nowMs,
      changedAtMs: nowMs,
    };
    const event = blockedBecause === null ? 'propose' : 'propose-blocked';
    const seq = this.#append({ decisionKey, proposal, event, set, attempts: [] }, nowMs);
    this.#insert('intents', { decisionKey, proposal, ...set, chainSeq: seq });
    return this.#reread({ decisionKey, proposal });
  }

  #record(row: IntentRow, event: GateEvent | Note, change: Change, nowMs: number): IntentRow {
    const { decisionKey, proposal } = row;
    const set: IntentPatch = {
      ...change.set,
      state: isNote(event) ? row.state : transition(row.state, event),
      changedAtMs: nowMs,
    };
    const attempts = change.attempts ?? [];
    const seq = this.#append({ decisionKey, proposal, event, set, attempts }, nowMs);
    this.#update('intents', { ...set, chainSeq: seq }, { decisionKey, proposal });
    for (const { attempt, set: attemptSet } of attempts) {
      const id = { decisionKey, proposal, attempt };
      if (attemptSet.startedAtMs === undefined) this.#update('attempts', attemptSet, id);
      else this.#insert('attempts', { ...id, ...attemptSet });
    }
    return this.#reread(row);
  }

  #append(body: ChainBody, nowMs: number): number {
    const entry = nextEntry(this.#tail(), nowMs, body);
    this.#insert('chain', { ...entry });
    if (entry.seq % checkpointEvery === 0) {
      this.#insert('checkpoints', { seq: entry.seq, hash: entry.hash });
    }
    return entry.seq;
  }

  #tail(): Pick<ChainRow, 'seq' | 'hash' | 'clockHighMs'> {
    return (
      this.#get<ChainRow>('SELECT seq, hash, clockHighMs FROM chain ORDER BY seq DESC LIMIT 1') ?? {
        ...chainStart,
      }
    );
  }

  #reread(id: IntentId): IntentRow {
    const row = this.intent(id);
    if (row === null)
      throw new LedgerError(`intent ${id.decisionKey} vanished while it was written`);
    return row;
  }

  #insert(table: string, values: Readonly<Record<string, unknown>>): void {
    const names = Object.keys(values);
    const marks = names.map((name) => `@${name}`);
    this.#statement(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks.join(', ')})`).run(
      values,
    );
  }

  #update(
    table: string,
    values: Readonly<Record<string, unknown>>,
    id: Readonly<Record<string, unknown>>,
  ): void {
    const assignments = Object.keys(values).map((name) => `${name} = @${name}`);
    const conditions = Object.keys(id).map((name) => `${name} = @${name}`);
    const { changes } = this.#statement(
      `UPDATE ${table} SET ${assignments.join(', ')} WHERE ${conditions.join(' AND ')}`,
    ).run({ ...values, ...id });
    if (changes !== 1) {
      throw new LedgerError(
        `expected to change one row of ${table} (${canonicalJson(id)}), changed ${changes}`,
      );
    }
  }

  #get<Row>(sql: string, ...values: readonly unknown[]): Row | null {
    return (this.#statement(sql).get(...values) as Row | undefined) ?? null;
  }

  #all<Row>(sql: string, ...values: readonly unknown[]): readonly Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  #statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#db.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** What a proposal brings along; the rest starts at its beginning. */
export type ProposedRow = Pick<
  IntentRow,
  | 'decisionKey'
  | 'payloadHash'
  | 'requestId'
  | 'request'
  | 'identity'
  | 'distinctBy'
  | 'lease'
  | 'premises'
  | 'railKey'
  | 'owner'
>;

/** What may be done inside one transaction. */
export interface LedgerStep {
  readonly nowMs: number;
  /** The latest time recorded before this step. */
  readonly clockHighMs: number;
  /** The claimed intent as it stands. Throws OwnershipLostError when it is no longer ours. */
  held(claim: Claim): IntentRow;
  propose(row: ProposedRow): IntentRow;
  /** A proposal that is turned down while an earlier one is live: it is BLOCKED from the start. */
  proposeBlocked(row: ProposedRow, why: string): IntentRow;
  /** Moves an intent along an edge, or notes something on it. Throws for what is no edge. */
  record(row: IntentRow, event: GateEvent | Note, change?: Change): IntentRow;
}

function isNote(event: GateEvent | Note): event is Note {
  return !(gateEvents as readonly string[]).includes(event);
}

/** better-sqlite3's build falls back to NORMAL in WAL mode, and shows it only after a write. */
export function assertDurable(db: Database.Database): void {
  const mode = db.pragma('journal_mode', { simple: true });
  const synchronous = db.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== 2) {
    throw new LedgerError(
      `expected journal_mode wal and synchronous 2 (FULL) after a write, found ${String(mode)} and ` +
        `${String(synchronous)}; without them an attempt may be sent and then forgotten`,
    );
  }
}

/**
 * Checks a ledger against its own chain: every entry hangs on the one before, every step is a legal
 * edge, and the tables are the fold of the chain. Reads only; reports the first thing that is wrong.
 *
 * A chain whose head nobody outside keeps is consistent, not tamper-evident: whoever can write the
 * file can write another chain. Keep the head this returns, or those `createGate({ onHead })` hands
 * out, somewhere else to close that gap.
 */
import Database from 'better-sqlite3';
import type { JsonValue } from '../../adapters/target.ts';
import {
  type ChainBody,
  type ChainHead,
  type ChainRow,
  chainStart,
  checkpointEvery,
  hashEntry,
  type Note,
} from './chain.ts';
import { wordsOf } from './engine.ts';
import { canonicalJson, sha256 } from './identity.ts';
import { type Ledger, LedgerError, ledgerFile } from './ledger.ts';
import { type GateEvent, gateEvents, type State, transition } from './states.ts';

export type LedgerVerdict =
  | { readonly kind: 'holds'; readonly head: ChainHead }
  | {
      readonly kind: 'broken';
      /** The first bad entry; null when the chain holds and a table does not follow from it. */
      readonly seq: number | null;
      readonly why: string;
    };

export type FoldedRow = { readonly [column: string]: JsonValue };

/** Verifies the whole ledger in `folder`, however long that takes. */
export function verifyLedger(folder: string): LedgerVerdict {
  const db = openToRead(folder);
  try {
    return snapshot(db, () => verifyFrom(db, { ...chainStart }, 'whole'));
  } finally {
    db.close();
  }
}

/** Verifies what was written since the last checkpoint. Throws LedgerError naming the first bad entry. */
export function assertTailVerifies(ledger: Ledger): void {
  const verdict = ledger.inspect((db) => {
    const checkpoint = db
      .prepare<[], ChainHead>('SELECT seq, hash FROM checkpoints ORDER BY seq DESC LIMIT 1')
      .get();
    if (checkpoint === undefined) return verifyFrom(db, { ...chainStart }, 'whole');
    return verifyFrom(db, checkpoint, 'tail');
  });
  if (verdict.kind === 'broken') {
    const where = verdict.seq === null ? 'a table' : `chain entry ${verdict.seq}`;
    throw new LedgerError(
      `the ledger's chain is broken at ${where}: ${verdict.why}; expected an untouched ledger. ` +
        'Nothing was sent. Restore it or find out who changed it before a gate uses it again',
    );
  }
}

export function openToRead(folder: string): Database.Database {
  const db = new Database(ledgerFile(folder), { fileMustExist: true, timeout: 5_000 });
  db.pragma('query_only = ON');
  return db;
}

/** Reads everything from one moment, whatever other processes write meanwhile. */
export function snapshot<T>(db: Database.Database, read: () => T): T {
  return db.transaction(read).deferred();
}

/** The rows that a run of chain entries leaves behind. */
export class Fold {
  readonly intents = new Map<string, FoldedRow>();
  readonly attempts = new Map<string, FoldedRow>();
  /** The proposal of each decision that is not blocked: there is one at most. */
  readonly #live = new Map<string, number>();
  readonly #startsEmpty: boolean;

  /** `startsEmpty`: the entries begin with the chain, so that every row must have been proposed. */
  constructor(startsEmpty: boolean) {
    this.#startsEmpty = startsEmpty;
  }

  /** Returns what is wrong with the entry, null when it follows from those before. */
  add(seq: number, body: ChainBody): string | null {
    const { decisionKey, proposal, event, set } = body;
    const id = intentId(decisionKey, proposal);
    const before = this.intents.get(id);
    const wrong = this.#wrongStep(before, body);
    if (wrong !== null) return wrong;
    this.intents.set(id, { ...before, decisionKey, proposal, ...set, chainSeq: seq });
    if (set.state !== undefined && set.state !== 'BLOCKED') this.#live.set(decisionKey, proposal);
    else if (set.state === 'BLOCKED' && this.#live.get(decisionKey) === proposal) {
      this.#live.delete(decisionKey);
    }
    for (const change of body.attempts) {
      const attemptId = `${id}/${change.attempt}`;
      const known = this.attempts.get(attemptId);
      const starts = event === 'record-attempt';
      if (starts && known !== undefined) return `attempt ${change.attempt} is recorded twice`;
      if (!starts && known === undefined && this.#startsEmpty) {
        return `attempt ${change.attempt} was never recorded`;
      }
      this.attempts.set(attemptId, {
        ...known,
        decisionKey,
        proposal,
        attempt: change.attempt,
        ...change.set,
      });
    }
    return null;
  }

  #wrongStep(before: FoldedRow | undefined, body: ChainBody): string | null {
    const { decisionKey, event, proposal, set } = body;
    const live = this.#live.get(decisionKey);
    if (event === 'propose' && live !== undefined && live !== proposal) {
      return `proposal ${proposal} is recorded beside proposal ${live}, which is not blocked`;
    }
    if (event === 'propose' || event === 'propose-blocked') {
      if (before !== undefined) return 'a proposal is recorded twice';
      if (sha256(set.request ?? '') !== set.payloadHash)
        return 'the payload is not what its hash says';
      const first = event === 'propose' ? 'PROPOSED' : 'BLOCKED';
      return set.state === first ? null : `"${event}" starts in ${set.state ?? 'no state'}`;
    }
    if (before === undefined) return this.#startsEmpty ? 'its intent was never proposed' : null;
    if (event === 'record-attempt' && set.attempts !== Number(before.attempts ?? Number.NaN) + 1) {
      if (before.attempts !== undefined) return 'attempts do not rise by one';
    }
    const from = before.state as State;
    try {
      const to = isGateEvent(event) ? transition(from, event) : from;
      return set.state === to
        ? null
        : `"${event}" leads from ${from} to ${to}, not to ${set.state ?? 'no state'}`;
    } catch (thrown) {
      return wordsOf(thrown);
    }
  }
}

export function intentId(decisionKey: string, proposal: number): string {
  return `${decisionKey}/${proposal}`;
}

/** Returns what is wrong with how `entry` hangs on `before`, null when it holds. */
export function wrongLink(before: ChainHead, entry: ChainRow): string | null {
  if (entry.seq !== before.seq + 1) return `expected entry ${before.seq + 1} after ${before.seq}`;
  if (entry.prevHash !== before.hash) return 'it does not hang on the entry before';
  return hashEntry(entry) === entry.hash ? null : 'its content is not what its hash says';
}

function verifyFrom(
  db: Database.Database,
  start: ChainHead,
  extent: 'whole' | 'tail',
): LedgerVerdict {
  const fold = new Fold(extent === 'whole');
  const checkpoint = db.prepare<[number], ChainHead>(
    'SELECT seq, hash FROM checkpoints WHERE seq = ?',
  );
  const entries = db.prepare<[number], ChainRow>('SELECT * FROM chain WHERE seq >= ? ORDER BY seq');
  let head = start;
  // The checkpoint's own entry is read as well: a chain cut short before it would look empty.
  let isAtStart = start.seq > 0;
  for (const entry of entries.iterate(start.seq)) {
    if (isAtStart) {
      isAtStart = false;
      if (entry.seq !== start.seq || entry.hash !== start.hash || hashEntry(entry) !== entry.hash) {
        return { kind: 'broken', seq: start.seq, why: 'it is not what its checkpoint says' };
      }
      continue;
    }
    const wrong =
      wrongLink(head, entry) ?? fold.add(entry.seq, JSON.parse(entry.body) as ChainBody);
    if (wrong !== null) return { kind: 'broken', seq: head.seq + 1, why: wrong };
    if (entry.seq % checkpointEvery === 0 && checkpoint.get(entry.seq)?.hash !== entry.hash) {
      return { kind: 'broken', seq: entry.seq, why: 'it is not what its checkpoint says' };
    }
    head = { seq: entry.seq, hash: entry.hash };
  }
  if (isAtStart) {
    return { kind: 'broken', seq: start.seq, why: 'the chain is shorter than its last checkpoint' };
  }
  const why = wrongTables(db, fold, extent);
  return why === null ? { kind: 'holds', head } : { kind: 'broken', seq: null, why };
}

/** A whole fold must equal the tables; a tail's, the columns that it set. */
function wrongTables(db: Database.Database, fold: Fold, extent: 'whole' | 'tail'): string | null {
  const intent = db.prepare<unknown[], FoldedRow>(
    'SELECT * FROM intents WHERE decisionKey = ? AND proposal = ?',
  );
  const attempt = db.prepare<unknown[], FoldedRow>(
    'SELECT * FROM attempts WHERE decisionKey = ? AND proposal = ? AND attempt = ?',
  );
  for (const row of fold.intents.values()) {
    const wrong = difference(row, intent.get(row.decisionKey, row.proposal));
    if (wrong !== null) return `intent ${nameOf(row)}: ${wrong}`;
  }
  for (const row of fold.attempts.values()) {
    const stored = attempt.get(row.decisionKey, row.proposal, row.attempt);
    const wrong = difference(row, stored);
    if (wrong !== null) return `attempt ${String(row.attempt)} of intent ${nameOf(row)}: ${wrong}`;
  }
  if (extent === 'tail') return null;
  return (
    wrongCount(db, 'intents', fold.intents.size) ?? wrongCount(db, 'attempts', fold.attempts.size)
  );
}

function difference(folded: FoldedRow, stored: FoldedRow | undefined): string | null {
  if (stored === undefined) return 'the chain records it, the table does not hold it';
  const column = Object.keys(folded).find((name) => folded[name] !== stored[name]);
  if (column === undefined) return null;
  return `${column} is ${canonicalJson(stored[column] ?? null)}, the chain says ${canonicalJson(folded[column] ?? null)}`;
}

function wrongCount(db: Database.Database, table: string, expected: number): string | null {
  const { count } = db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number };
  return count === expected ? null : `${table} holds ${count} rows, the chain records ${expected}`;
}

function nameOf(row: FoldedRow): string {
  return intentId(String(row.decisionKey), Number(row.proposal));
}

function isGateEvent(event: GateEvent | Note): event is GateEvent {
  return (gateEvents as readonly string[]).includes(event);
}

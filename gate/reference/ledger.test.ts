import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimOf } from './engine.ts';
import {
  assertDurable,
  Ledger,
  LedgerError,
  ledgerFile,
  OwnershipLostError,
  type ProposedRow,
} from './ledger.ts';
import { IllegalTransitionError } from './states.ts';

const key = 'a'.repeat(64);
let folder: string;
let ledger: Ledger;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-ledger-'));
  ledger = new Ledger(folder, () => 1_000);
});
afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true });
});

test('after a write the ledger is in WAL mode and syncs in full', () => {
  ledger.transact((step) => step.propose(proposed()));
  const read = ledger.inspect((db) => [
    db.pragma('journal_mode', { simple: true }),
    db.pragma('synchronous', { simple: true }),
  ]);
  expect(read).toEqual(['wal', 2]);
});

test('a connection that fell back to NORMAL is refused', () => {
  withDatabase((db) => {
    db.pragma('synchronous = NORMAL');
    expect(() => assertDurable(db)).toThrow(LedgerError);
    db.pragma('synchronous = FULL');
    assertDurable(db);
  });
});

test('a ledger of another version is refused', () => {
  withDatabase((db) => db.pragma('user_version = 99'));
  expect(() => new Ledger(folder, () => 0)).toThrow(/expected a ledger of version 2/);
});

describe('SQLite itself refuses', () => {
  const absent = "state = 'CONFIRMED_NOT_APPLIED'";
  test.for([
    ['absence without evidence', `${absent}`],
    ['absence by evidence it does not know', `${absent}, absenceEvidence = 'first-page'`],
    ['absence before the last page', `${absent}, absenceEvidence = 'last-page', lastPage = 0`],
    ['absence with no word of the page', `${absent}, absenceEvidence = 'last-page'`],
    ['absence by a person without a name', `${absent}, absenceEvidence = 'person'`],
    ['absence by a nameless person', `${absent}, absenceEvidence = 'person', resolvedBy = ''`],
    ['an effect without an entity or a person', "state = 'APPLIED'"],
    ['a block after an attempt', "state = 'BLOCKED', attempts = 1"],
    ['a flight without an attempt', "state = 'IN_FLIGHT'"],
    ['a state it does not know', "state = 'DONE'"],
    ['a value of another type', "attempts = 'one'"],
  ] as const)('%s', ([, assignment]) => {
    ledger.transact((step) => step.propose(proposed()));
    withDatabase((db) => {
      expect(() => db.exec(`UPDATE intents SET ${assignment}`)).toThrow(/constraint|cannot store/);
    });
  });

  test.for([
    "absenceEvidence = 'last-page', lastPage = 1",
    "absenceEvidence = 'fence'",
    "absenceEvidence = 'definite-refusal'",
    "absenceEvidence = 'before-no-return'",
    "absenceEvidence = 'person', resolvedBy = 'Ada'",
  ])('nothing of %s', (evidence) => {
    ledger.transact((step) => step.propose(proposed()));
    withDatabase((db) => db.exec(`UPDATE intents SET ${absent}, ${evidence}`));
  });

  test('a second live proposal of one decision', () => {
    ledger.transact((step) => step.propose(proposed()));
    expect(() => ledger.transact((step) => step.propose(proposed()))).toThrow(/UNIQUE/);
  });
});

test('several proposals stand under one key when all but one are blocked', () => {
  for (let round = 0; round < 2; round += 1) {
    ledger.transact((step) => {
      const row = step.propose(proposed());
      step.record(row, 'block', { set: { owner: null } });
    });
  }
  ledger.transact((step) => step.propose(proposed()));
  expect(ledger.live(key)?.proposal).toBe(3);
});

test('a step that fails leaves nothing behind', () => {
  expect(() =>
    ledger.transact((step) => {
      step.propose(proposed());
      throw new Error('cut');
    }),
  ).toThrow('cut');
  expect(ledger.latest(key)).toBeNull();
  expect(ledger.chainEntry(1)).toBeNull();
});

test('a step along no edge is refused', () => {
  const row = ledger.transact((step) => step.propose(proposed()));
  expect(() => ledger.transact((step) => step.record(row, 'landed'))).toThrow(
    IllegalTransitionError,
  );
});

test('a write by an owner of an earlier generation is refused', () => {
  const row = ledger.transact((step) => step.propose(proposed()));
  ledger.transact((step) =>
    step.record(row, 'own', { set: { owner: 'other', generation: row.generation + 1 } }),
  );
  expect(() => ledger.transact((step) => step.held(claimOf(row)))).toThrow(OwnershipLostError);
});

function proposed(): ProposedRow {
  const substance = {
    payloadHash: 'b'.repeat(64),
    request: '{}',
    identity: '{}',
    distinctBy: null,
  };
  const under = { lease: 'lease', premises: '[]', railKey: key, owner: 'me' };
  return { decisionKey: key, requestId: 'request-1', ...substance, ...under };
}

function withDatabase(work: (db: Database.Database) => void): void {
  const db = new Database(ledgerFile(folder));
  try {
    work(db);
  } finally {
    db.close();
  }
}

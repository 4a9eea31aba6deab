import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Receipt } from '../gate.ts';
import { checkpointEvery, hashEntry } from './chain.ts';
import { ledgerFile } from './ledger.ts';
import { verifyReceipt } from './receipt.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations } from './testing/service.ts';
import { verifyLedger } from './verify.ts';

describe('the chain', () => {
  test('holds after effects, crashes and recoveries', async () => {
    await using bench = await used();
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
  });

  test.for([
    [
      'an edited body',
      "UPDATE chain SET body = replace(body, 'lease-1', 'lease-2') WHERE seq = 3",
      3,
    ],
    ['an edited time', 'UPDATE chain SET atMs = atMs + 1 WHERE seq = 4', 4],
    ['a dropped entry', 'DELETE FROM chain WHERE seq = 2', 2],
    ['a cut hash', "UPDATE chain SET hash = 'x' WHERE seq = 5", 5],
  ] as const)('%s is named', async ([, sql, seq]) => {
    await using bench = await used();
    tamper(bench, sql);
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'broken', seq });
    expect(() => bench.open()).toThrow(new RegExp(`chain entry ${seq}`));
  });

  test('an entry forged with a right hash is named when its step is no edge', async () => {
    await using bench = await used();
    forge(bench, 3, (body) => ({ ...body, event: 'landed' }));
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'broken', seq: 3 });
  });

  test('a payload that does not fit its hash is named', async () => {
    await using bench = await used();
    forge(bench, 1, (body) => ({
      ...body,
      set: { ...body.set, request: '{"amountMinor":99,"order":"order-1"}' },
    }));
    const verdict = verifyLedger(bench.folder);
    expect(verdict).toMatchObject({ kind: 'broken', seq: 1 });
  });
});

describe('the tables are the fold of the chain', () => {
  test.for([
    ['an edited state', "UPDATE intents SET state = 'QUARANTINED'", 'state'],
    ['an edited entity', "UPDATE intents SET entityId = 'another'", 'entityId'],
    ['an edited payload', "UPDATE intents SET request = '{}'", 'request'],
    ['an edited attempt', "UPDATE attempts SET reply = 'refused'", 'reply'],
    ['a removed attempt', 'DELETE FROM attempts WHERE attempt = 1', 'does not hold it'],
    ['a removed intent', 'DELETE FROM intents', 'does not hold it'],
  ] as const)('%s under an intact chain is named', async ([, sql, named]) => {
    await using bench = await used();
    tamper(bench, sql);
    const verdict = verifyLedger(bench.folder);
    expect(verdict).toMatchObject({ kind: 'broken', seq: null });
    expect(verdict.kind === 'broken' && verdict.why).toContain(named);
    expect(() => bench.open()).toThrow(/broken at a table/);
  });

  test('an added row is named', async () => {
    await using bench = await used();
    tamper(
      bench,
      `INSERT INTO attempts (decisionKey, proposal, attempt, startedAtMs, lease, premises)
       SELECT decisionKey, proposal, 9, 0, '', '[]' FROM intents LIMIT 1`,
    );
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'broken', seq: null });
  });
});

describe('checkpoints', () => {
  test('a start verifies what follows the last one, the whole is verified on request', async () => {
    await using bench = await long();
    tamper(bench, 'UPDATE chain SET atMs = atMs + 1 WHERE seq = 2');
    await bench.open().close();
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'broken', seq: 2 });
  });

  test('a start sees what was changed since the last one', async () => {
    await using bench = await long();
    tamper(bench, `UPDATE chain SET atMs = atMs + 1 WHERE seq = ${checkpointEvery + 1}`);
    expect(() => bench.open()).toThrow(`chain entry ${checkpointEvery + 1}`);
  });

  test('a chain cut before its checkpoint does not pass for a short one', async () => {
    await using bench = await long();
    tamper(bench, `DELETE FROM chain WHERE seq >= ${checkpointEvery}`);
    expect(() => bench.open()).toThrow(/shorter than its last checkpoint/);
  });

  test('a checkpoint that its entry does not bear out is named', async () => {
    await using bench = await long();
    tamper(bench, "UPDATE checkpoints SET hash = 'x'");
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'broken', seq: checkpointEvery });
    expect(() => bench.open()).toThrow(/not what its checkpoint says/);
  });
});

describe('receipts', () => {
  test('states the four facts and verifies', async () => {
    await using bench = new Bench(declarations.dedupes);
    const { receipt } = await bench.open().submit(proposalOf(refund(20)));
    expect(receipt?.facts).toEqual({
      proposed: true,
      authorized: true,
      executed: 'yes',
      recorded: true,
    });
    expect(receipt === null || verifyReceipt(bench.folder, receipt)).toEqual({ kind: 'holds' });
  });

  test('says unknown of an effect that nobody can know of', async () => {
    await using bench = new Bench(declarations.neither);
    bench.service.applies.push('request-lost');
    const { receipt } = await bench.open().submit(proposalOf(refund(20)));
    expect(receipt?.facts.executed).toBe('unknown');
    expect(receipt === null || verifyReceipt(bench.folder, receipt)).toEqual({ kind: 'holds' });
  });

  test('holds for what was true then, also after more was recorded', async () => {
    await using bench = new Bench(declarations.fence);
    await bench.crashAt('after_wal_before_call');
    const gate = bench.open();
    await gate.recover();
    const { receipt } = await gate.ask(refund(20));
    await gate.submit(proposalOf(refund(20)));
    expect(receipt?.facts.executed).toBe('no');
    expect(receipt === null || verifyReceipt(bench.folder, receipt)).toEqual({ kind: 'holds' });
  });

  test.for([
    ['another state', { state: 'FAILED_TERMINAL' }],
    ['another entity', { entityId: 'another' }],
    ['another payload', { payloadHash: 'f'.repeat(64) }],
    ['another decision', { decisionKey: 'f'.repeat(64) }],
    ['another hash', { chainHash: 'f'.repeat(64) }],
    ['an entry that is not there', { chainSeq: 999 }],
    ['another entry', { chainSeq: 2 }],
    [
      'other facts',
      { facts: { proposed: true, authorized: true, executed: 'no', recorded: true } },
    ],
  ] as readonly (readonly [string, Partial<Receipt>])[])('%s is false', async ([, forged]) => {
    await using bench = new Bench(declarations.dedupes);
    const { receipt } = await bench.open().submit(proposalOf(refund(20)));
    if (receipt === null) throw new Error('expected a receipt');
    expect(verifyReceipt(bench.folder, { ...receipt, ...forged }).kind).toBe('false');
  });
});

/** A ledger with an effect that took a crash and a resend. */
async function used(): Promise<Bench> {
  const bench = new Bench(declarations.dedupes);
  await bench.crashAt('after_call_before_commit');
  const gate = bench.open();
  await gate.recover();
  await gate.close();
  return bench;
}

/** A ledger whose chain is longer than one checkpoint. */
async function long(): Promise<Bench> {
  const bench = new Bench(declarations.dedupes);
  const gate = bench.open();
  for (let order = 0; order * 4 < checkpointEvery + 8; order += 1) {
    await gate.submit(proposalOf({ order: `order-${order}`, amountMinor: 20 }));
  }
  await gate.close();
  return bench;
}

function tamper(bench: Bench, sql: string): void {
  const db = new Database(ledgerFile(bench.folder));
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  db.exec(sql);
  db.close();
}

/** Rewrites one entry and re-hashes everything after it, as somebody with the file could. */
function forge(
  bench: Bench,
  seq: number,
  change: (body: { set: object }) => { set: object },
): void {
  const db = new Database(ledgerFile(bench.folder));
  const rows = db.prepare('SELECT * FROM chain ORDER BY seq').all() as Parameters<
    typeof hashEntry
  >[0][];
  let prevHash = '0'.repeat(64);
  for (const row of rows) {
    const body = row.seq === seq ? JSON.stringify(change(JSON.parse(row.body))) : row.body;
    const hash = hashEntry({ ...row, body, prevHash });
    db.prepare('UPDATE chain SET body = ?, prevHash = ?, hash = ? WHERE seq = ?').run(
      body,
      prevHash,
      hash,
      row.seq,
    );
    prevHash = hash;
  }
  db.close();
}

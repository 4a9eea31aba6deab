import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Receipt } from '../gate.ts';
import {
  type ChainBody,
  type ChainRow,
  chainStart,
  checkpointEvery,
  hashEntry,
  nextEntry,
} from './chain.ts';
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

describe('a whole forged ledger, hashes and tables right', () => {
  test('holds as long as it tells what could have been', async () => {
    await using bench = await used();
    rewrite(bench, (bodies) => bodies);
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds', head: { seq: 8 } });
  });

  test.for<Forgery>([
    [
      'a send after the effect took place',
      (bodies) => [...bodies, { ...at(bodies, 7), set: { state: 'IN_FLIGHT', attempts: 3 } }],
      9,
      /APPLIED can't take "record-attempt"/,
    ],
    [
      'an effect that took place twice',
      (bodies) => [...bodies, at(bodies, 8)],
      9,
      /APPLIED can't take "landed"/,
    ],
    [
      'a call from a state that is not the one edge into it',
      (bodies) => without(bodies, 6),
      6,
      /UNKNOWN can't take "record-attempt"/,
    ],
    [
      'a fresh permission while an attempt is open',
      (bodies) => changed(bodies, 6, { event: 'authorize' }),
      6,
      /UNKNOWN can't take "authorize"/,
    ],
    [
      'a legal event that leads elsewhere',
      (bodies) => changed(bodies, 8, { set: { ...at(bodies, 8).set, state: 'FAILED_TERMINAL' } }),
      8,
      /"landed" leads from IN_FLIGHT to APPLIED, not to FAILED_TERMINAL/,
    ],
    [
      'an event that leads nowhere',
      (bodies) => changed(bodies, 5, { set: { evidence: 'nothing' } }),
      5,
      /leads from IN_FLIGHT to UNKNOWN, not to no state/,
    ],
    [
      'a note that moves the state',
      (bodies) => changed(bodies, 4, { set: { ...at(bodies, 4).set, state: 'AUTHORIZED' } }),
      4,
      /"own" leads from IN_FLIGHT to IN_FLIGHT, not to AUTHORIZED/,
    ],
    [
      'a proposal that was never checked',
      (bodies) => changed(bodies, 1, { set: { ...at(bodies, 1).set, state: 'AUTHORIZED' } }),
      1,
      /"propose" starts in AUTHORIZED/,
    ],
    [
      'a proposal recorded twice',
      (bodies) => [...bodies, at(bodies, 1)],
      9,
      /a proposal is recorded twice/,
    ],
    [
      'a second live proposal for one decision',
      (bodies) => [...bodies, { ...at(bodies, 1), proposal: 2 }],
      9,
      /proposal 2 is recorded beside proposal 1, which is not blocked/,
    ],
    ['steps of what was never proposed', (bodies) => without(bodies, 1), 1, /never proposed/],
    ['a skipped attempt', (bodies) => renumbered(bodies, 3), 7, /attempts do not rise by one/],
    ['an attempt made again', (bodies) => renumbered(bodies, 1), 7, /attempts do not rise by one/],
    [
      'an answer to an attempt that was never made',
      (bodies) => changed(bodies, 8, { attempts: [{ attempt: 3, set: { reply: 'landed' } }] }),
      8,
      /attempt 3 was never recorded/,
    ],
    [
      'an attempt recorded under a number that is taken',
      (bodies) => changed(bodies, 7, { attempts: at(bodies, 3).attempts }),
      7,
      /attempt 1 is recorded twice/,
    ],
  ])('%s is named', async ([, change, seq, why]) => {
    await using bench = await used();
    rewrite(bench, change);
    const verdict = verifyLedger(bench.folder);
    expect(verdict).toMatchObject({ kind: 'broken', seq });
    expect(verdict.kind === 'broken' && verdict.why).toMatch(why);
    expect(() => bench.open()).toThrow(`chain entry ${seq}`);
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

type Forgery = readonly [
  title: string,
  change: (bodies: readonly ChainBody[]) => readonly ChainBody[],
  seq: number,
  why: RegExp,
];

function at(bodies: readonly ChainBody[], seq: number): ChainBody {
  const body = bodies[seq - 1];
  if (body === undefined) throw new Error(`the chain has no entry ${seq}`);
  return body;
}

function changed(
  bodies: readonly ChainBody[],
  seq: number,
  changes: Partial<ChainBody>,
): readonly ChainBody[] {
  return bodies.with(seq - 1, { ...at(bodies, seq), ...changes });
}

function without(bodies: readonly ChainBody[], seq: number): readonly ChainBody[] {
  return bodies.toSpliced(seq - 1, 1);
}

/** The second attempt under another number, in every entry that names it. */
function renumbered(bodies: readonly ChainBody[], attempt: number): readonly ChainBody[] {
  return bodies.map((body) => ({
    ...body,
    set: body.set.attempts === 2 ? { ...body.set, attempts: attempt } : body.set,
    attempts: body.attempts.map((change) =>
      change.attempt === 2 ? { ...change, attempt } : change,
    ),
  }));
}

/** Writes another chain and the tables that follow from it, as somebody with the file and our code could. */
function rewrite(
  bench: Bench,
  change: (bodies: readonly ChainBody[]) => readonly ChainBody[],
): void {
  const db = new Database(ledgerFile(bench.folder));
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  const rows = db.prepare<[], ChainRow>('SELECT * FROM chain ORDER BY seq').all();
  const bodies = change(rows.map((row) => JSON.parse(row.body) as ChainBody));
  // An index that forbids what is forged here is only an index.
  db.exec('DROP INDEX IF EXISTS oneLiveProposal');
  db.exec('DELETE FROM chain; DELETE FROM attempts; DELETE FROM intents');
  const tables = { intents: new Map<string, object>(), attempts: new Map<string, object>() };
  let tail = { ...chainStart };
  for (const body of bodies) {
    const entry = nextEntry(tail, rows[0]?.atMs ?? 0, body);
    tail = entry;
    insert(db, 'chain', entry);
    const { decisionKey, proposal } = body;
    const id = `${decisionKey}/${proposal}`;
    const before = tables.intents.get(id) ?? someIntent;
    tables.intents.set(id, { ...before, decisionKey, proposal, ...body.set, chainSeq: entry.seq });
    for (const { attempt, set } of body.attempts) {
      const known = tables.attempts.get(`${id}/${attempt}`) ?? someAttempt;
      tables.attempts.set(`${id}/${attempt}`, { ...known, decisionKey, proposal, attempt, ...set });
    }
  }
  for (const row of tables.intents.values()) insert(db, 'intents', row);
  for (const row of tables.attempts.values()) insert(db, 'attempts', row);
  db.close();
}

/** What columns hold that no entry of the forged chain has set. */
const someAttempt = { startedAtMs: 0, lease: '', premises: '[]' };
const someIntent = {
  ...{ payloadHash: '', requestId: '', request: '', identity: '', lease: '', premises: '' },
  ...{ railKey: '', state: 'PROPOSED', authorized: 0, attempts: 0, looks: 0, generation: 1 },
  ...{ evidence: '', proposedAtMs: 0, changedAtMs: 0 },
};

function insert(db: Database.Database, table: string, row: object): void {
  const names = Object.keys(row);
  const values = names.map((name) => `@${name}`).join(', ');
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`).run(row);
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

import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../adapters/target.ts';
import type { LeaseCap, LeaseState } from '../gate.ts';
import { whyNotCapped, whyOverCap } from './caps.ts';
import { Ledger, ledgerFile, spendingSql } from './ledger.ts';
import { Bench, proposalOf } from './testing/bench.ts';
import { declarations } from './testing/service.ts';
import { Shared } from './testing/shared.ts';
import { GateProcesses } from './testing/spawn-gate.ts';
import { verifyLedger } from './verify.ts';

const by = 'Ada';
const reason = 'asked the bank';

describe('the sum', () => {
  test.for([
    [[], 100, null],
    [[40], 60, null],
    [[40], 61, /40 has happened under it or may have, this asks for 61/],
    [[40, 30, 30], 0, null],
    [[40, 30, 30], 1, /add up to 100: 100 has happened/],
    [[2 ** 53 - 1, 2 ** 53 - 1], 0, /add up to 100/],
  ] as const)('of %j and %i under a limit of 100', ([before, asked, why]) => {
    const found = over(capOf(100), { amountMinor: asked }, before);
    if (why === null) expect(found).toBeNull();
    else expect(found).toMatch(why);
  });

  test('every cap must have room', () => {
    const caps = [
      capOf(100),
      { ...capOf(1), field: 'messages' },
      { ...capOf(50), field: 'amountMinor' },
    ];
    const request = { amountMinor: 60, messages: 1 };
    expect(whyOverCap({ lease: 'l', caps, request, others: [] })).toMatch(/amountMinor .* 50/);
  });

  test('an earlier effect that has no such field leaves nothing that could be told', () => {
    const others = [{ requestId: 'request-7', request: '{"pages":3}' }];
    const asked = { lease: 'l', caps: [capOf(100)], request: { amountMinor: 1 }, others };
    expect(whyOverCap(asked)).toMatch(/request-7 under it has none/);
  });

  test('a limit that can’t be compared lets nothing through', () => {
    expect(over(capOf(Number.NaN), { amountMinor: 0 }, [])).not.toBeNull();
  });
});

describe('what a capped lease covers', () => {
  test.for<[JsonObject, JsonObject, RegExp | null]>([
    [{ amountMinor: 5, currency: 'usd' }, { currency: 'usd' }, null],
    [
      { amountMinor: 5, currency: 'eur' },
      { currency: 'usd' },
      /expected currency "usd", found "eur"/,
    ],
    [{ amountMinor: 5 }, { currency: 'usd' }, /expected currency "usd", found none/],
    [{ amountMinor: 5 }, { toString: 'x' }, /expected toString "x", found none/],
    [{ amountMinor: 5, to: { a: 1, b: 2 } }, { to: { b: 2, a: 1 } }, null],
    [{ amountMinor: 5, to: [1, 2] }, { to: [2, 1] }, /expected to \[2,1\]/],
    [{ amountMinor: 5, to: null }, { to: null }, null],
    [{ amountMinor: 5, n: 1 }, { n: '1' }, /expected n "1", found 1/],
    [{}, {}, /limits amountMinor: expected an integer from 0 in the request, found none/],
    [{ amountMinor: -1 }, {}, /found -1/],
    [{ amountMinor: 0.5 }, {}, /found 0.5/],
    [{ amountMinor: 2 ** 53 }, {}, /found 9007199254740992/],
    [{ amountMinor: '5' }, {}, /found "5"/],
    [{ amountMinor: null }, {}, /found null/],
    [{ amountMinor: 0 }, {}, null],
  ])('%j within %j', ([request, within, why]) => {
    const found = whyNotCapped('lease-1', [{ ...capOf(100), within }], request);
    if (why === null) expect(found).toBeNull();
    else expect(found).toMatch(why);
  });
});

describe('one gate', () => {
  test('two that fit alone and not together: one goes out, the other is refused', async () => {
    await using bench = capped(100);
    const gate = bench.open();
    const answers = await Promise.all([
      gate.submit(proposalOf(order(1, 60))),
      gate.submit(proposalOf(order(2, 60))),
    ]);
    expect(answers.map((answer) => answer.outcome).sort()).toEqual(['happened', 'refused']);
    const refused = answers.find((answer) => answer.outcome === 'refused');
    expect(refused).toMatchObject({ state: 'BLOCKED', disposition: 'settled', attempts: 0 });
    expect(refused?.evidence).toContain('lets amountMinor add up to 100: 60 has happened');
    expect(refused?.receipt?.facts).toMatchObject({ authorized: false, executed: 'no' });
    expect(spent(bench)).toBe(60);
    expect(await gate.ask(order(1, 60))).toMatchObject({ outcome: answers[0]?.outcome });
    expect(await gate.ask(order(2, 60))).toMatchObject({ outcome: answers[1]?.outcome });
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
  });

  test('what fits goes out to the last unit, and zero is always in', async () => {
    await using bench = capped(100);
    const gate = bench.open();
    for (const [number, amount] of [60, 40, 0].entries()) {
      expect((await gate.submit(proposalOf(order(number, amount)))).outcome).toBe('happened');
    }
    expect((await gate.submit(proposalOf(order(9, 1)))).outcome).toBe('refused');
    expect(spent(bench)).toBe(100);
  });

  test('another lease has room of its own', async () => {
    await using bench = capped(100);
    const gate = bench.open();
    await gate.submit(proposalOf(order(1, 60)));
    const other = proposalOf(order(2, 60), { lease: 'lease-2' });
    expect((await gate.submit(other)).outcome).toBe('happened');
  });

  test('a lease that does not cover the request refuses it before anything else is asked', async () => {
    await using bench = capped(100, { within: { currency: 'usd' } });
    const gate = bench.open();
    for (const request of [order(1, 5), { order: 'order-2', currency: 'usd' }]) {
      const answer = await gate.submit(proposalOf(request));
      expect(answer).toMatchObject({ outcome: 'refused', state: 'BLOCKED', attempts: 0 });
    }
    expect(bench.service.calls).toHaveLength(0);
    expect(bench.points()).not.toContain('before_wal');
    const covered = { ...order(1, 5), currency: 'usd' };
    expect((await gate.submit(proposalOf(covered))).outcome).toBe('happened');
  });

  test('neither a covered reason nor a person’s word is room under a cap', async () => {
    await using bench = capped(100);
    const gate = bench.open();
    await gate.submit(proposalOf(order(1, 60)));
    const second = { ...order(1, 60), distinct: { approval: 'a-7' } };
    expect((await gate.submit(proposalOf(second))).outcome).toBe('refused');
    const third = { ...order(1, 60), distinct: { reason: 'goodwill' } };
    expect((await gate.submit(proposalOf(third))).state).toBe('HELD');
    await gate.resolve(third, { decision: 'approve', by, reason });
    expect(await gate.submit(proposalOf(third))).toMatchObject({
      outcome: 'refused',
      state: 'BLOCKED',
    });
    expect(spent(bench)).toBe(60);
  });

  test('the caps are those of the very check', async () => {
    await using bench = capped(100);
    const gate = bench.open();
    await gate.submit(proposalOf(order(1, 60)));
    bench.lease = live([capOf(90)]);
    expect((await gate.submit(proposalOf(order(2, 40)))).outcome).toBe('refused');
    bench.lease = live([capOf(100)]);
    expect((await gate.submit(proposalOf(order(2, 40)))).outcome).toBe('happened');
    bench.lease = live(undefined);
    expect((await gate.submit(proposalOf(order(3, 40)))).outcome).toBe('happened');
    bench.lease = live([capOf(150)]);
    expect((await gate.submit(proposalOf(order(4, 11)))).outcome).toBe('refused');
    expect((await gate.submit(proposalOf(order(4, 10)))).outcome).toBe('happened');
  });
});

describe('a reservation', () => {
  test.for([
    ['dedupes', 'after_wal_before_call'],
    ['bound', 'after_wal_before_call'],
    ['fence', 'after_call_before_commit'],
    ['unbounded', 'after_call_before_commit'],
    ['neither', 'after_call_before_commit'],
  ] as const)('%s: of an attempt cut off at %s stands before recovery', async ([kind, point]) => {
    await using bench = capped(100, {}, declarations[kind]);
    await bench.crashAt(point, order(1, 60));
    const gate = bench.open();
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('refused');
    expect((await gate.submit(proposalOf(order(3, 40)))).outcome).toBe('happened');
  });

  test('is not made by what was recorded without an attempt', async () => {
    await using bench = capped(100);
    await bench.crashAt('before_wal', order(1, 60));
    const gate = bench.open();
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('happened');
    expect(await gate.submit(proposalOf(order(1, 60)))).toMatchObject({
      outcome: 'refused',
      state: 'BLOCKED',
    });
  });

  test.for(['unbounded', 'neither'] as const)('%s: of what nobody knows stands', async (kind) => {
    await using bench = capped(100, {}, declarations[kind]);
    bench.service.applies.push('request-lost');
    const gate = bench.open();
    const surfaced = await gate.submit(proposalOf(order(1, 60)));
    expect(surfaced).toMatchObject({ outcome: 'unknown', disposition: 'surfaced' });
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('refused');
    await gate.resolve(order(1, 60), { decision: 'absent', by, reason });
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('happened');
  });

  test('of what a person says has happened stands', async () => {
    await using bench = capped(100, {}, declarations.neither);
    bench.service.applies.push('request-lost');
    const gate = bench.open();
    await gate.submit(proposalOf(order(1, 60)));
    await gate.resolve(order(1, 60), { decision: 'happened', by, reason });
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('refused');
  });

  test.for([
    ['a fence', 'fence', 'held', 'CONFIRMED_NOT_APPLIED'],
    ['a whole look', 'bound', 'request-lost', 'CONFIRMED_NOT_APPLIED'],
    ['a refusal that can be mended', 'neither', 'refused-mendable', 'CONFIRMED_NOT_APPLIED'],
    ['a refusal by rule', 'neither', 'refused', 'FAILED_TERMINAL'],
  ] as const)('is given back by %s, and made again by the next attempt', async (row) => {
    const [, kind, reply, state] = row;
    await using bench = capped(100, {}, declarations[kind]);
    bench.service.applies.push(reply);
    const gate = bench.open();
    expect((await gate.submit(proposalOf(order(1, 60)))).state).toBe(state);
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('happened');
    // Over the cap now, after an absence: as under a dead lease.
    const again = await gate.submit(proposalOf(order(1, 60)));
    expect(again).toMatchObject({ outcome: 'refused', attempts: 1 });
    if (state === 'FAILED_TERMINAL') return;
    expect(again.state).toBe('BLOCKED');
    expect((await gate.ask(order(1, 60))).outcome).toBe('refused');
    bench.lease = live([capOf(120)]);
    expect((await gate.submit(proposalOf(order(1, 60)))).outcome).toBe('happened');
    expect((await gate.submit(proposalOf(order(3, 1)))).outcome).toBe('refused');
    expect(spent(bench)).toBe(120);
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
  });

  test('is not made twice by a resend of the same key', async () => {
    await using bench = capped(100);
    bench.service.applies.push('reply-lost', 'request-lost');
    const gate = bench.open();
    expect(await gate.submit(proposalOf(order(1, 60)))).toMatchObject({
      outcome: 'happened',
      attempts: 3,
    });
    expect((await gate.submit(proposalOf(order(2, 40)))).outcome).toBe('happened');
    expect(spent(bench)).toBe(100);
  });

  test('of a killed attempt lets its own resend through and nothing beside it', async () => {
    await using bench = capped(100);
    await bench.crashAt('after_wal_before_call', order(1, 100));
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(order(1, 100))).toMatchObject({ outcome: 'happened', attempts: 2 });
    expect((await gate.submit(proposalOf(order(2, 1)))).outcome).toBe('refused');
  });

  test('that no longer fits sends no key again, and never says refused of what may be there', async () => {
    await using bench = capped(100);
    await bench.crashAt('after_call_before_commit', order(1, 60));
    bench.lease = live([capOf(50)]);
    const gate = bench.open();
    const surfaced = await gate.submit(proposalOf(order(1, 60)));
    expect(surfaced).toMatchObject({ outcome: 'unknown', state: 'QUARANTINED', attempts: 1 });
    expect(surfaced.evidence).toContain('add up to 50');
    expect(await gate.ask(order(1, 60))).toMatchObject({ disposition: 'surfaced' });
    expect(bench.service.count('apply')).toBe(1);
  });

  test('counts under every lease it was sent under, until that attempt is proven absent', async () => {
    await using bench = capped(100);
    await bench.crashAt('after_wal_before_call', order(1, 60));
    const gate = bench.open();
    const under = (lease: string) => ({ lease });
    // The resend goes out under another lease; what was sent under the first may still land.
    const resent = await gate.submit(proposalOf(order(1, 60), under('lease-2')));
    expect(resent).toMatchObject({ outcome: 'happened', attempts: 2 });
    for (const lease of ['lease-1', 'lease-2']) {
      expect((await gate.submit(proposalOf(order(2, 60), under(lease)))).outcome).toBe('refused');
    }
    expect((await gate.submit(proposalOf(order(2, 60), under('lease-3')))).outcome).toBe(
      'happened',
    );
  });

  test('moves to the lease of the next attempt once the one before is proven absent', async () => {
    await using bench = capped(100, {}, declarations.fence);
    await bench.crashAt('after_wal_before_call', order(1, 60));
    const gate = bench.open();
    await gate.submit(proposalOf(order(1, 60), { lease: 'lease-2' }));
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('happened');
    const over = await gate.submit(proposalOf(order(3, 60), { lease: 'lease-2' }));
    expect(over.outcome).toBe('refused');
  });

  test('of an attempt that the lease’s end kept in is given back', async () => {
    await using bench = capped(100);
    bench.lease = { ...live([capOf(100)]), expiresAtMs: bench.nowMs + 1_000 };
    bench.onPoint = ({ point }) => {
      if (point === 'after_wal_before_call') bench.nowMs += 1_000;
    };
    const gate = bench.open();
    expect((await gate.submit(proposalOf(order(1, 60)))).state).toBe('CONFIRMED_NOT_APPLIED');
    bench.lease = live([capOf(100)]);
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('happened');
  });
});

describe('several processes on one ledger', () => {
  let processes: GateProcesses;
  beforeAll(async () => {
    processes = await GateProcesses.build();
  });
  afterAll(async () => {
    await processes[Symbol.asyncDispose]();
  });

  test('two that were both allowed race: exactly one goes out', async () => {
    await using shared = await Shared.open(processes, declarations.dedupes);
    shared.lease = live([capOf(100)]);
    const racers = [order(1, 60), order(2, 60)].map((request) =>
      shared.start({ request, stopAt: 'before_wal' }),
    );
    for (const racer of racers) await racer.said('at ');
    for (const racer of racers) racer.go();
    const outcomes: string[] = [];
    for (const racer of racers) outcomes.push(JSON.parse(await racer.said('outcome ')).outcome);
    expect(outcomes.sort()).toEqual(['happened', 'refused']);
    expect(shared.service.effects).toHaveLength(1);
    expect(shared.service.count('apply')).toBe(1);
    expect(verifyLedger(shared.folder)).toMatchObject({ kind: 'holds' });
  });

  test('one killed in the middle of its call keeps its room until its absence is proven', async () => {
    await using shared = await Shared.open(processes, declarations.bound);
    shared.lease = live([capOf(100)]);
    shared.service.applies.push('hang');
    const killed = shared.start({ request: order(1, 60) });
    await shared.service.received('apply', 1);
    const gate = shared.gate();
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('refused');
    await killed.kill();
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('refused');
    expect(shared.service.count('apply')).toBe(1);

    await gate.recover();
    expect((await gate.ask(order(1, 60))).state).toBe('CONFIRMED_NOT_APPLIED');
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('happened');
    expect((await gate.submit(proposalOf(order(1, 60)))).outcome).toBe('refused');
    expect(shared.service.effects).toHaveLength(1);
    expect(verifyLedger(shared.folder)).toMatchObject({ kind: 'holds' });
  });

  test('one killed after its effect landed keeps its room for good', async () => {
    await using shared = await Shared.open(processes, declarations.bound);
    shared.lease = live([capOf(100)]);
    const killed = shared.start({ request: order(1, 60), stopAt: 'after_call_before_commit' });
    await killed.said('at ');
    await killed.kill();
    const gate = shared.gate();
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('refused');
    await gate.recover();
    expect((await gate.ask(order(1, 60))).outcome).toBe('happened');
    expect((await gate.submit(proposalOf(order(2, 60)))).outcome).toBe('refused');
    expect(shared.service.effects).toHaveLength(1);
  });
});

test('only the attempts of the one lease are read, by its index', async () => {
  await using bench = capped(100);
  await bench.open().submit(proposalOf(order(1, 60)));
  const ledger = new Ledger(bench.folder, () => bench.nowMs);
  const nobody = { decisionKey: '', proposal: 0 };
  expect([...ledger.spendingUnder('lease-1', nobody)]).toHaveLength(1);
  expect([...ledger.spendingUnder('lease-2', nobody)]).toHaveLength(0);
  ledger.close();
  const db = new Database(ledgerFile(bench.folder), { readonly: true });
  const plan = db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${spendingSql}`)
    .all('lease-1', '', 0)
    .map(({ detail }) => detail);
  db.close();
  expect(plan.some((step) => /INDEX spendingByLease \(lease=\?\)/.test(step))).toBe(true);
  expect(plan.filter((step) => /^SCAN (?!\(subquery)/.test(step))).toEqual([]);
  expect(plan.join()).not.toContain('TEMP B-TREE');
});

function capped(limit: number, given: Partial<LeaseCap> = {}, declaration = plain): Bench {
  const bench = new Bench(declaration);
  bench.lease = live([{ ...capOf(limit), ...given }]);
  return bench;
}

const plain: Bench['declaration'] = declarations.dedupes;

function capOf(limit: number): LeaseCap {
  return { field: 'amountMinor', limit, within: {} };
}

function live(caps: readonly LeaseCap[] | undefined): LeaseState & { kind: 'live' } {
  return { kind: 'live', expiresAtMs: null, coversReasons: [], ...(caps && { caps }) };
}

function order(number: number, amountMinor: number): JsonObject {
  return { order: `order-${number}`, amountMinor };
}

function spent(bench: Bench): number {
  const amounts = bench.service.effects.map(({ request }) => Number(request.amountMinor));
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

function over(cap: LeaseCap, request: JsonObject, before: readonly number[]): string | null {
  const others = before.map((amountMinor, index) => ({
    requestId: `request-${index}`,
    request: JSON.stringify({ amountMinor }),
  }));
  return whyOverCap({ lease: 'lease-1', caps: [cap], request, others });
}

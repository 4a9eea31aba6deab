import { describe, expect, test } from 'vitest';
import type { AnnouncedPoint, LeaseState } from '../gate.ts';
import { lookLimit, takeIntent } from './recovery.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations, declare, premiseOf } from './testing/service.ts';
import { verifyLedger } from './verify.ts';

const dead: LeaseState = { kind: 'dead', reason: 'revoked' };
const dayMs = 86_400_000;

describe('learn before authority', () => {
  test.for(['fence', 'bound', 'unbounded', 'dedupesAndLooks'] as const)(
    '%s: a dead lease at recovery does not hide an effect that landed',
    async (kind) => {
      await using bench = new Bench(declarations[kind]);
      await bench.crashAt('after_call_before_commit');
      bench.lease = dead;
      const gate = bench.open();
      const answer = await gate.submit(proposalOf(refund(20)));
      expect(answer).toMatchObject({ outcome: 'happened', entityId: 'effect-1' });
      expect(bench.service.count('apply')).toBe(1);
    },
  );

  test('a stale premise at recovery does not hide an effect that landed', async () => {
    await using bench = new Bench(declarations.bound);
    await bench.crashAt('after_call_before_commit');
    bench.service.version = 2;
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).outcome).toBe('happened');
    expect(bench.service.count('validate')).toBe(0);
  });

  test('a dead lease sends no key again; without a lookup the intent is QUARANTINED', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit');
    bench.lease = dead;
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({
      outcome: 'unknown',
      disposition: 'surfaced',
      state: 'QUARANTINED',
    });
    expect(bench.service.count('apply')).toBe(1);
    bench.lease = { kind: 'live', expiresAtMs: null, coversReasons: [] };
    expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
    expect(bench.service.effects).toHaveLength(1);
  });

  test('a stale premise sends no key again', async () => {
    await using bench = new Bench(declarations.dedupes);
    const premises = [premiseOf(1)];
    await bench.crashAt('after_wal_before_call', refund(20), { premises });
    bench.service.version = 2;
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ disposition: 'surfaced', attempts: 1 });
    expect(bench.service.count('apply')).toBe(0);
  });

  test('our own stamped effect makes no premise stale', async () => {
    await using bench = new Bench(declarations.dedupes);
    const premises = [premiseOf(1)];
    await bench.crashAt('after_call_before_commit', refund(20), { premises });
    bench.service.version = 2;
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).outcome).toBe('happened');
    expect(bench.service.effects).toHaveLength(1);
  });
});

describe('the window', () => {
  test('over, without a lookup, it is surfaced as AMBIGUOUS and nothing is sent', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit');
    bench.nowMs += dayMs;
    bench.service.prune();
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ state: 'AMBIGUOUS', attempts: 1 });
    expect((await gate.submit(proposalOf(refund(20)))).state).toBe('AMBIGUOUS');
    expect(bench.service.count('apply')).toBe(1);
  });

  test('over, with a lookup, it is looked up', async () => {
    await using bench = new Bench(declarations.dedupesAndLooks);
    await bench.crashAt('after_call_before_commit');
    bench.nowMs += dayMs;
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).outcome).toBe('happened');
    expect(bench.service.count('apply')).toBe(1);
  });

  test('it is checked in the transaction that records the attempt', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit');
    bench.service.prune();
    const gate = bench.open();
    // The check of the lease lasts until the window is over.
    bench.onLeaseCheck = () => {
      bench.nowMs += dayMs;
    };
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ disposition: 'surfaced', attempts: 1 });
    expect(bench.service.effects).toHaveLength(1);
  });

  test('it is checked again directly before the write', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit');
    bench.service.prune();
    const gate = bench.open();
    bench.onPoint = ({ point }) => {
      if (point === 'recovery:before-resend') bench.nowMs += dayMs;
    };
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ disposition: 'surfaced', attempts: 2 });
    expect(bench.service.effects).toHaveLength(1);
    expect(bench.service.count('apply')).toBe(1);
  });

  test('a clock that went backwards counts as over', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit');
    bench.nowMs -= 3_600_000;
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ disposition: 'surfaced', attempts: 1 });
  });

  test('a retry after proven absence starts a window of its own', async () => {
    await using bench = new Bench(declarations.dedupesAndLooks);
    await bench.crashAt('after_wal_before_call');
    bench.nowMs += dayMs;
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).outcome).toBe('absent');
    bench.service.applies.push('reply-lost');
    const answer = await gate.submit(proposalOf(refund(20)));
    expect(answer).toMatchObject({ outcome: 'happened', attempts: 3 });
    expect(bench.service.effects).toHaveLength(1);
  });
});

describe('looks', () => {
  test('no look starts before bound and lag have passed since the intent was owned', async () => {
    const declaration = declarations.bound;
    await using bench = new Bench(declaration);
    await bench.crashAt('after_wal_before_call');
    let ownedAtMs = Number.NaN;
    bench.onPoint = ({ point }) => {
      if (point === 'recovery:owned') ownedAtMs = performance.now();
    };
    const gate = bench.open();
    await gate.recover();
    const look = bench.service.calls.find((call) => call.op === 'query');
    expect(look?.atMs).toBeGreaterThanOrEqual(ownedAtMs + 40);
  });

  test('a clock that jumps ahead shortens no wait', async () => {
    await using bench = new Bench(declarations.bound);
    await bench.crashAt('after_wal_before_call');
    const startedAtMs = performance.now();
    bench.nowMs += dayMs;
    await bench.open().recover();
    expect(bench.service.calls.at(-1)?.atMs).toBeGreaterThanOrEqual(startedAtMs + 40);
  });

  test('a request that lands within the bound is found', async () => {
    await using bench = new Bench(declarations.bound);
    bench.service.applies.push('held');
    bench.onPoint = ({ point }) => {
      if (point === 'recovery:before-lookup') bench.service.landHeld();
    };
    const answer = await bench.open().submit(proposalOf(refund(20)));
    expect(answer).toMatchObject({ outcome: 'happened', attempts: 1 });
  });

  test('a fence stops what is still on its way, and the next submit takes it over', async () => {
    await using bench = new Bench(declarations.fence);
    bench.service.applies.push('held');
    const gate = bench.open();
    const answer = await gate.submit(proposalOf(refund(20)));
    expect(answer).toMatchObject({ outcome: 'absent', state: 'CONFIRMED_NOT_APPLIED' });
    bench.service.landHeld();
    expect(bench.service.effects).toHaveLength(0);
    expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
    expect(bench.service.effects).toHaveLength(1);
  });

  test.for(['could-not-tell', 'throws', 'incomplete'] as const)(
    'a look that answers %s is no absence, and the next one decides',
    async (answer) => {
      await using bench = new Bench(declarations.bound);
      await bench.crashAt('after_wal_before_call');
      bench.service.looks.push(answer, answer);
      const gate = bench.open();
      await gate.recover();
      expect((await gate.ask(refund(20))).state).toBe('CONFIRMED_NOT_APPLIED');
      expect(bench.service.count('query')).toBe(3);
    },
  );

  test('more than one effect under our stamp waits for a person', async () => {
    await using bench = new Bench(declarations.bound);
    await bench.crashAt('after_call_before_commit');
    bench.service.looks.push('many');
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({
      disposition: 'surfaced',
      state: 'QUARANTINED',
    });
  });

  test('without finality absence is never believed, and a later landing is found', async () => {
    await using bench = new Bench(declarations.unbounded);
    bench.service.applies.push('held');
    const gate = bench.open();
    const first = await gate.submit(proposalOf(refund(20)));
    expect(first).toMatchObject({ outcome: 'unknown', state: 'QUARANTINED' });
    bench.service.landHeld();
    const again = await gate.submit(proposalOf(refund(20)));
    expect(again).toMatchObject({ outcome: 'happened', attempts: 1 });
    expect(bench.service.count('apply')).toBe(1);
  });
});

describe('six looks or resends', () => {
  test.for([
    ['unbounded', 'query'],
    ['dedupes', 'apply'],
  ] as const)('%s: a recovery makes six and surfaces the intent', async ([kind, op]) => {
    await using bench = new Bench(declarations[kind]);
    await bench.crashAt('after_wal_before_call');
    for (let lost = 0; lost < 9; lost += 1) bench.service.applies.push('request-lost');
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).state).toBe('QUARANTINED');
    expect(bench.service.count(op)).toBe(lookLimit);
  });

  test.for([
    ['bound', 'query', 'recovery:before-lookup'],
    ['dedupes', 'apply', 'recovery:before-resend'],
  ] as const)('%s: they count over restarts, also when cut short', async (row) => {
    const [kind, op, point] = row;
    await using bench = new Bench(declarations[kind]);
    await bench.crashAt('after_wal_before_call');
    for (let restart = 0; restart < lookLimit; restart += 1) {
      const gate = bench.open();
      await bench.crashRecoveryAt(gate, point);
    }
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).state).toBe('QUARANTINED');
    expect(bench.service.count(op)).toBe(0);
  });

  test('whoever asks again afterwards gets one more look', async () => {
    await using bench = new Bench(declarations.unbounded);
    bench.service.applies.push('request-lost');
    const gate = bench.open();
    await gate.submit(proposalOf(refund(20)));
    const looks = bench.service.count('query');
    await gate.submit(proposalOf(refund(20)));
    await gate.recover();
    expect(bench.service.count('query')).toBe(looks + 2);
    expect(bench.service.count('apply')).toBe(1);
  });
});

describe('recovery sends nothing but the same key in its window', () => {
  test.for(['fence', 'bound', 'unbounded', 'neither', 'marked'] as const)(
    '%s: it sends nothing',
    async (kind) => {
      await using bench = new Bench(declarations[kind]);
      await bench.crashAt('after_wal_before_call');
      await bench.open().recover();
      expect(bench.service.count('apply')).toBe(0);
    },
  );

  test('an intent that was never attempted stays absent until the next submit', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('before_wal');
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ outcome: 'absent', state: 'AUTHORIZED' });
    expect(bench.service.count('apply')).toBe(0);
    expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
  });

  test('an in-window resend carries the stored key under the next number', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit');
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ outcome: 'happened', attempts: 2 });
    expect(bench.service.effects).toHaveLength(1);
    const keys = bench.service.calls.map((call) => call.key);
    expect(keys).toEqual([bench.keyOf(refund(20)), bench.keyOf(refund(20))]);
  });
});

describe('the mark of no return', () => {
  test('an attempt that never passed it is absent', async () => {
    await using bench = new Bench(declarations.marked);
    await bench.crashAt('after_wal_before_call');
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).state).toBe('CONFIRMED_NOT_APPLIED');
  });

  test('an attempt that passed it can’t be known', async () => {
    await using bench = new Bench(declarations.marked);
    await bench.crashAt('after_call_before_commit');
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).state).toBe('AMBIGUOUS');
  });

  test('a call that ended before it is absent in the same process', async () => {
    await using bench = new Bench(declarations.marked);
    bench.service.marksBefore = false;
    bench.service.applies.push('request-lost');
    const answer = await bench.open().submit(proposalOf(refund(20)));
    expect(answer.state).toBe('CONFIRMED_NOT_APPLIED');
  });
});

test('recovery announces its points and none of a submit’s', async () => {
  await using bench = new Bench(declarations.bound);
  await bench.crashAt('after_call_before_commit');
  bench.reached.splice(0);
  await bench.open().recover();
  expect(bench.points()).toEqual([
    'recovery:owned',
    'recovery:before-lookup',
    'recovery:after-lookup',
    'recovery:before-settle',
  ]);
});

test.for([
  ['bound', 'recovery:owned'],
  ['bound', 'recovery:before-lookup'],
  ['bound', 'recovery:after-lookup'],
  ['bound', 'recovery:before-settle'],
  ['fence', 'recovery:before-lookup'],
  ['fence', 'recovery:after-lookup'],
  ['dedupes', 'recovery:owned'],
  ['dedupes', 'recovery:before-resend'],
  ['dedupes', 'recovery:before-settle'],
] as const)('%s: a recovery that dies at %s is taken up by the next', async ([kind, point]) => {
  await using bench = new Bench(declarations[kind]);
  await bench.crashAt('after_call_before_commit');
  await bench.crashRecoveryAt(bench.open(), point satisfies AnnouncedPoint);
  const gate = bench.open();
  await gate.recover();
  expect(await gate.ask(refund(20))).toMatchObject({ outcome: 'happened', entityId: 'effect-1' });
  expect(bench.service.effects).toHaveLength(1);
  expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
});

test('of two that found the same dead owner, one takes the intent', async () => {
  await using bench = new Bench(declarations.bound);
  await bench.crashAt('after_call_before_commit');
  const [first, second] = [bench.engine(), bench.engine()];
  const seen = first.ledger.live(bench.keyOf(refund(20)));
  if (seen === null) throw new Error('expected a recorded intent');
  const taken = takeIntent(first, seen);
  expect(taken.kind).toBe('taken');
  expect(takeIntent(second, seen)).toEqual({ kind: 'changed' });
  const now = second.ledger.live(bench.keyOf(refund(20)));
  expect(now).toMatchObject({ owner: first.lock.id, generation: seen.generation + 1 });
  expect(now === null || takeIntent(second, now)).toEqual({ kind: 'owned-alive' });
});

test('AMBIGUOUS is left alone by recover and submit', async () => {
  await using bench = new Bench(declare({}));
  await bench.crashAt('after_call_before_commit');
  const gate = bench.open();
  await gate.recover();
  const calls = bench.service.calls.length;
  await gate.recover();
  await gate.submit(proposalOf(refund(20)));
  expect((await gate.ask(refund(20))).state).toBe('AMBIGUOUS');
  expect(bench.service.calls).toHaveLength(calls);
});

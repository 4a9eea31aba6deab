import { describe, expect, test } from 'vitest';
import { InvalidRequestError } from '../../adapters/target.ts';
import type { LeaseState } from '../gate.ts';
import { identifyRequest } from './identity.ts';
import { Ledger } from './ledger.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations, declare, premiseOf, targetFor } from './testing/service.ts';

const live: LeaseState = { kind: 'live', expiresAtMs: null, coversReasons: [] };
const dead: LeaseState = { kind: 'dead', reason: 'revoked' };

describe('write before call', () => {
  test('the attempt is durable when the service is called', async () => {
    await using bench = new Bench(declarations.dedupes);
    const seen: (string | number)[] = [];
    bench.onPoint = ({ point }) => {
      if (point !== 'after_wal_before_call') return;
      seen.push(bench.service.count('apply'));
    };
    const gate = bench.open();
    bench.service.applies.push('hang');
    const pending = gate.submit(proposalOf(refund(20)));
    await bench.service.received('apply', 1);
    const [row] = rowsOf(bench, refund(20));
    expect(row).toMatchObject({ state: 'IN_FLIGHT', attempts: 1 });
    expect(seen).toEqual([0]);
    bench.abandon(pending);
  });

  test('before_wal comes after the intent is recorded and before any attempt', async () => {
    await using bench = new Bench(declarations.dedupes);
    let states: unknown[] = [];
    bench.onPoint = ({ point }) => {
      if (point === 'before_wal') states = rowsOf(bench, refund(20)).map((row) => row.state);
    };
    await bench.open().submit(proposalOf(refund(20)));
    expect(states).toEqual(['AUTHORIZED']);
  });
});

describe('a reply is believed only with our stamp', () => {
  test.for(['foreign', 'unstamped'] as const)(
    'a %s reply never leaves its entity, the look finds ours',
    async (reply) => {
      await using bench = new Bench(declarations.bound);
      bench.service.applies.push(reply);
      const outcome = await bench.open().submit(proposalOf(refund(20)));
      expect(outcome).toMatchObject({ outcome: 'happened', entityId: 'effect-1' });
      expect(bench.service.count('query')).toBe(1);
    },
  );

  test('without a look a foreign reply is surfaced', async () => {
    await using bench = new Bench(declarations.neither);
    bench.service.applies.push('foreign');
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'unknown', state: 'AMBIGUOUS', entityId: null });
  });
});

describe('payload binding', () => {
  const cases = [
    ['APPLIED', declarations.dedupes, 'ok'],
    ['FAILED_TERMINAL', declarations.dedupes, 'refused'],
    ['CONFIRMED_NOT_APPLIED', declarations.dedupes, 'refused-mendable'],
    ['AMBIGUOUS', declarations.neither, 'request-lost'],
    ['QUARANTINED', declarations.unbounded, 'request-lost'],
  ] as const;
  test.for(cases)('in %s another payload is refused and changes nothing', async (row) => {
    const [state, declaration, reply] = row;
    await using bench = new Bench(declaration);
    bench.service.applies.push(reply);
    const gate = bench.open();
    const first = await gate.submit(proposalOf(refund(20)));
    expect(first.state).toBe(state);
    const calls = bench.service.calls.length;
    const other = await gate.submit(proposalOf(refund(30)));
    expect(other).toMatchObject({ outcome: 'refused', disposition: 'settled' });
    expect(other.evidence).toContain('was recorded with payload');
    expect(bench.service.calls).toHaveLength(calls);
    expect(await gate.ask(refund(20))).toEqual(first);
  });

  test.for(['before_wal', 'after_wal_before_call', 'after_call_before_commit'] as const)(
    'an intent cut off at %s refuses another payload',
    async (point) => {
      await using bench = new Bench(declarations.dedupes);
      await bench.crashAt(point);
      const calls = bench.service.calls.length;
      const other = await bench.open().submit(proposalOf(refund(30)));
      expect(other.outcome).toBe('refused');
      expect(bench.service.calls).toHaveLength(calls);
    },
  );

  test('another payload is refused at once while the first is on its way', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.applies.push('hang');
    const gate = bench.open();
    const pending = gate.submit(proposalOf(refund(20)));
    await bench.service.received('apply', 1);
    expect((await gate.submit(proposalOf(refund(30)))).outcome).toBe('refused');
    expect(bench.service.count('apply')).toBe(1);
    bench.abandon(pending);
  });

  test('a HELD intent refuses another payload', async () => {
    await using bench = new Bench(declarations.dedupes);
    const gate = bench.open();
    const distinct = { reason: 'goodwill' };
    expect((await gate.submit(proposalOf({ ...refund(20), distinct }))).state).toBe('HELD');
    expect((await gate.submit(proposalOf({ ...refund(30), distinct }))).outcome).toBe('refused');
  });

  test('a blocked proposal binds no payload', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = dead;
    const gate = bench.open();
    expect((await gate.submit(proposalOf(refund(20)))).state).toBe('BLOCKED');
    bench.lease = live;
    expect((await gate.submit(proposalOf(refund(30)))).outcome).toBe('happened');
    expect(bench.service.effects.map((effect) => effect.request)).toEqual([refund(30)]);
  });
});

describe('permission', () => {
  test.for([
    ['a dead lease', dead],
    ['an authority that throws', 'throws'],
    ['an expired lease', { ...live, expiresAtMs: 1_700_000_000_000 }],
  ] as const)('%s blocks the proposal before anything is sent', async ([, lease]) => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = lease;
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'refused', state: 'BLOCKED', attempts: 0 });
    expect(bench.service.count('apply')).toBe(0);
  });

  test('an authority that does not answer counts as dead', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = 'hangs';
    const outcome = await bench.open({ authorityTimeoutMs: 5 }).submit(proposalOf(refund(20)));
    expect(outcome.outcome).toBe('refused');
  });

  test('a lease that ends before the write keeps the request in', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = { ...live, expiresAtMs: bench.nowMs + 1_000 };
    bench.onPoint = ({ point }) => {
      if (point === 'after_wal_before_call') bench.nowMs += 1_000;
    };
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'absent', state: 'CONFIRMED_NOT_APPLIED' });
    expect(bench.service.count('apply')).toBe(0);
  });

  test('a stale premise blocks the proposal', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.version = 2;
    const gate = bench.open();
    const outcome = await gate.submit(proposalOf(refund(20), { premises: [premiseOf(1)] }));
    expect(outcome).toMatchObject({ outcome: 'refused', state: 'BLOCKED' });
    expect(outcome.evidence).toContain('stale');
    expect((await gate.ask(refund(20))).outcome).toBe('refused');
    expect(bench.service.count('apply')).toBe(0);
  });

  test('premises that can’t be read send nothing and refuse nothing', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.version = Number.NaN;
    const gate = bench.open();
    const outcome = await gate.submit(proposalOf(refund(20), { premises: [premiseOf(1)] }));
    expect(outcome).toMatchObject({ outcome: 'absent', state: 'PROPOSED' });
    bench.service.version = 1;
    const again = await gate.submit(proposalOf(refund(20), { premises: [premiseOf(1)] }));
    expect(again.outcome).toBe('happened');
  });

  test('an intent proven absent is refused under a dead lease, and sent under a live one', async () => {
    await using bench = new Bench(declarations.fence);
    await bench.crashAt('after_wal_before_call');
    const gate = bench.open();
    await gate.recover();
    bench.lease = dead;
    const refused = await gate.submit(proposalOf(refund(20)));
    expect(refused).toMatchObject({ outcome: 'refused', state: 'BLOCKED', attempts: 1 });
    expect((await gate.ask(refund(20))).outcome).toBe('refused');
    bench.lease = live;
    expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
    expect(bench.service.effects).toHaveLength(1);
  });

  test('an intent that was never sent is blocked by a dead lease', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('before_wal');
    bench.lease = dead;
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'refused', state: 'BLOCKED' });
  });
});

describe('distinct', () => {
  test('an approval lets a second equal effect happen', async () => {
    await using bench = new Bench(declarations.dedupes);
    const gate = bench.open();
    await gate.submit(proposalOf(refund(20)));
    await gate.submit(proposalOf({ ...refund(20), distinct: { approval: 'a-7' } }));
    expect(bench.service.effects).toHaveLength(2);
  });

  test('a reason the lease covers is sent, another is held', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = { ...live, coversReasons: ['late delivery'] };
    const gate = bench.open();
    const covered = { ...refund(20), distinct: { reason: 'late delivery' } };
    expect((await gate.submit(proposalOf(covered))).outcome).toBe('happened');
    const invented = { ...refund(20), distinct: { reason: 'goodwill' } };
    const held = await gate.submit(proposalOf(invented));
    expect(held).toMatchObject({ outcome: 'unknown', disposition: 'surfaced', state: 'HELD' });
    expect(bench.service.effects).toHaveLength(1);
    expect(await gate.submit(proposalOf(invented))).toEqual(held);
  });
});

describe('refusals by the service', () => {
  test('one by its own rules is final', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.applies.push('refused');
    const gate = bench.open();
    const outcome = await gate.submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'refused', state: 'FAILED_TERMINAL', final: true });
    expect(await gate.submit(proposalOf(refund(20)))).toEqual(outcome);
    expect(bench.service.count('apply')).toBe(1);
  });

  test('a mendable one leaves the intent absent and open to the next submit', async () => {
    await using bench = new Bench(declarations.neither);
    bench.service.applies.push('refused-mendable');
    const gate = bench.open();
    const outcome = await gate.submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'absent', state: 'CONFIRMED_NOT_APPLIED' });
    expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
  });

  test('one after an attempt that may have landed refuses nothing', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.applies.push('reply-lost', 'refused');
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'unknown', state: 'QUARANTINED', attempts: 2 });
  });

  test('one after an attempt that may have landed is settled by the look', async () => {
    await using bench = new Bench(declarations.dedupesAndLooks);
    bench.service.applies.push('reply-lost', 'refused');
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'happened', entityId: 'effect-1' });
  });
});

describe('stored errors and conflicts', () => {
  test('a stored error without a lookup is surfaced and the key is sent no more', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.applies.push('stored-error');
    const gate = bench.open();
    const outcome = await gate.submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ disposition: 'surfaced', state: 'AMBIGUOUS' });
    await gate.recover();
    await gate.submit(proposalOf(refund(20)));
    expect(bench.service.count('apply')).toBe(1);
  });

  test('a stored error is looked up where the service can be asked', async () => {
    await using bench = new Bench(declarations.dedupesAndLooks);
    bench.service.applies.push('stored-error');
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'absent', state: 'CONFIRMED_NOT_APPLIED' });
    expect(bench.service.count('apply')).toBe(1);
  });

  test('a stored error that is final proves that nothing took effect', async () => {
    await using bench = new Bench(declare({ ...declarations.dedupes, storedErrorFinal: true }));
    bench.service.applies.push('request-lost', 'stored-error');
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'absent', state: 'CONFIRMED_NOT_APPLIED' });
  });

  test('a request still in flight is waited for and sent again under the same key', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.applies.push('in-flight', 'in-flight');
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'happened', attempts: 3 });
    expect(new Set(bench.service.calls.map((call) => call.key)).size).toBe(1);
  });
});

test('concurrent submits of one decision in one process send once', async () => {
  await using bench = new Bench(declarations.neither);
  const gate = bench.open();
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      gate.submit(proposalOf(refund(20), { requestId: `request-${index}` })),
    ),
  );
  expect(bench.service.count('apply')).toBe(1);
  expect(new Set(answers.map((answer) => answer.entityId))).toEqual(new Set(['effect-1']));
});

test('a living gate does not keep what it has finished', async () => {
  await using bench = new Bench(declarations.bound);
  bench.service.applies.push('refused-mendable', 'request-lost');
  const first = bench.open();
  const second = bench.open({ joinWaitMs: 0 });
  expect((await first.submit(proposalOf(refund(20)))).outcome).toBe('absent');
  expect((await second.submit(proposalOf(refund(20)))).outcome).toBe('absent');
  expect(await first.submit(proposalOf(refund(20)))).toMatchObject({
    outcome: 'happened',
    attempts: 3,
  });
});

test('submits wait for a recovery that is under way', async () => {
  await using bench = new Bench(declarations.bound);
  await bench.crashAt('after_wal_before_call');
  const gate = bench.open();
  const recovery = gate.recover();
  const answer = gate.submit(proposalOf({ order: 'another', amountMinor: 5 }));
  await answer;
  expect(bench.points().indexOf('recovery:before-settle')).toBeGreaterThan(-1);
  expect(bench.points().lastIndexOf('before_wal')).toBeGreaterThan(
    bench.points().indexOf('recovery:before-settle'),
  );
  await recovery;
});

test('a request that can’t be carried out is rejected and leaves no record', async () => {
  await using bench = new Bench(declarations.dedupes);
  const gate = bench.open();
  await expect(gate.submit(proposalOf({ amountMinor: 20 }))).rejects.toThrow(InvalidRequestError);
  expect(rowsOf(bench, refund(20))).toEqual([]);
  expect(await gate.ask(refund(20))).toMatchObject({ outcome: 'absent', state: null });
});

test('the key that was stored with the intent is sent, whatever a newer gate would derive', async () => {
  await using bench = new Bench(declarations.dedupes);
  const target = targetFor(bench.service, bench.declaration);
  const { decisionKey, payloadHash, request } = identifyRequest(target, refund(20));
  bench.engine().ledger.transact((step) =>
    step.propose({
      ...{ decisionKey, payloadHash, request, identity: '{}', distinctBy: null, premises: '[]' },
      ...{ requestId: 'request-1', lease: 'lease-1', railKey: 'an-older-key', owner: null },
    }),
  );
  const answer = await bench.open().submit(proposalOf(refund(20)));
  expect(answer.outcome).toBe('happened');
  expect(bench.service.effects.map((effect) => effect.stamp)).toEqual(['an-older-key']);
});

test('points name the request that was recorded first', async () => {
  await using bench = new Bench(declarations.dedupes);
  await bench.crashAt('before_wal');
  const gate = bench.open();
  await gate.submit(proposalOf(refund(20), { requestId: 'request-2' }));
  expect(new Set(bench.reached.map((reached) => reached.intent))).toEqual(new Set(['request-1']));
});

function rowsOf(bench: Bench, request: ReturnType<typeof refund>) {
  const ledger = new Ledger(bench.folder, () => bench.nowMs);
  const row = ledger.live(bench.keyOf(request));
  ledger.close();
  return row === null ? [] : [row];
}

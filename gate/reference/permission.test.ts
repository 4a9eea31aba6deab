import { describe, expect, test } from 'vitest';
import type { Premise } from '../../adapters/target.ts';
import type { LeaseState } from '../gate.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations, declare, premiseOf } from './testing/service.ts';

const live = { kind: 'live', expiresAtMs: null, coversReasons: [] } as const;
const dead: LeaseState = { kind: 'dead', reason: 'revoked' };
const by = 'Ada';
const reason = 'asked the bank';

describe('a lease that ends between check and send', () => {
  test('before the attempt is recorded: nothing is, and the proposal is refused', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = { ...live, expiresAtMs: bench.nowMs + 1_000 };
    bench.onPoint = ({ point }) => {
      if (point === 'before_wal') bench.nowMs += 1_000;
    };
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'refused', state: 'BLOCKED', attempts: 0 });
    expect(outcome.evidence).toContain('has expired');
    expect(bench.service.count('apply')).toBe(0);
  });

  test('while the authority is still answering: it has ended', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = { ...live, expiresAtMs: bench.nowMs + 1_000 };
    bench.onLeaseCheck = () => {
      bench.nowMs += 1_000;
    };
    expect((await bench.open().submit(proposalOf(refund(20)))).state).toBe('BLOCKED');
  });

  test('before a resend: it stays in, and what may be there is not called refused', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit');
    bench.lease = { ...live, expiresAtMs: bench.nowMs + 1_000 };
    bench.onPoint = ({ point }) => {
      if (point === 'recovery:before-resend') bench.nowMs += 1_000;
    };
    const gate = bench.open();
    await gate.recover();
    expect(await gate.ask(refund(20))).toMatchObject({ outcome: 'unknown', state: 'QUARANTINED' });
    expect(bench.service.count('apply')).toBe(1);
  });

  test('revoked: the next send asks again, within the same submit too', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.service.applies.push('request-lost');
    bench.onPoint = ({ point }) => {
      if (point === 'after_call_before_commit') bench.lease = dead;
    };
    const outcome = await bench.open().submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'unknown', state: 'QUARANTINED', attempts: 1 });
    expect(bench.service.count('apply')).toBe(1);
  });
});

describe('an authority that can’t be relied on', () => {
  const answers: readonly [string, Bench['lease']][] = [
    ['can’t be reached', 'throws'],
    ['hangs', 'hangs'],
    ['answers nothing', undefined as never],
    ['answers a lease without an end or a say', { kind: 'live' } as never],
    ['answers caps it does not mean', { ...live, caps: [{ field: 'amountMinor' }] } as never],
  ];

  test.for(answers)('%s: nothing goes out for the first time', async ([, lease]) => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = lease;
    const gate = bench.open({ authorityTimeoutMs: 5 });
    const outcome = await gate.submit(proposalOf(refund(20)));
    expect(outcome).toMatchObject({ outcome: 'refused', state: 'BLOCKED', attempts: 0 });
    expect(bench.service.calls).toHaveLength(0);
  });

  test.for(answers)('%s: no key is sent again, and the look is made', async ([, lease]) => {
    await using bench = new Bench(declarations.dedupesAndLooks);
    await bench.crashAt('after_call_before_commit');
    bench.lease = lease;
    const gate = bench.open({ authorityTimeoutMs: 5 });
    await gate.recover();
    expect((await gate.ask(refund(20))).outcome).toBe('happened');
    expect(bench.service.count('apply')).toBe(1);
  });
});

describe('after an attempt nothing says refused before its absence is final', () => {
  const refusals = {
    'a dead lease': (bench: Bench) => {
      bench.lease = dead;
    },
    'a lease that covers other things': (bench: Bench) => {
      bench.lease = { ...live, caps: [{ field: 'pages', limit: 9, within: {} }] };
    },
    'a cap without room': (bench: Bench) => {
      bench.lease = { ...live, caps: [{ field: 'amountMinor', limit: 19, within: {} }] };
    },
    'a stale premise': (bench: Bench) => {
      bench.service.version = 2;
    },
  };
  const endings = [
    ['dedupes', 'unknown', 'QUARANTINED'],
    ['unbounded', 'unknown', 'QUARANTINED'],
    ['neither', 'unknown', 'AMBIGUOUS'],
    ['fence', 'refused', 'BLOCKED'],
    ['bound', 'refused', 'BLOCKED'],
    ['marked', 'refused', 'BLOCKED'],
  ] as const;
  const cases = Object.entries(refusals).flatMap(([why, make]) =>
    endings.map((ending) => [why, ...ending, make] as const),
  );

  test.for(cases)('%s, %s: %s', async ([, kind, outcome, state, make]) => {
    await using bench = new Bench(declarations[kind]);
    const premises = [premiseOf(1)];
    await bench.crashAt('after_wal_before_call', refund(20), { premises });
    make(bench);
    const gate = bench.open();
    await gate.recover();
    const learnt = await gate.ask(refund(20));
    expect(learnt.outcome).toBe(outcome === 'refused' ? 'absent' : outcome);
    const answer = await gate.submit(proposalOf(refund(20), { premises }));
    expect(answer).toMatchObject({ outcome, state, attempts: 1 });
    expect((await gate.ask(refund(20))).outcome).toBe(outcome);
    expect(bench.service.count('apply')).toBe(0);
  });
});

describe('premises', () => {
  const premises: readonly Premise[] = [
    { kind: 'version-unchanged', fact: 'head', value: { sha: 'c0ffee', parents: [1, null] } },
    premiseOf(1),
  ];

  test('are kept with the attempt and checked by a recovery just as they were stated', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_call_before_commit', refund(20), { premises });
    await bench.open().recover();
    expect(bench.service.validated).toEqual([premises, premises]);
  });

  test('of the last attempt are those that a recovery checks', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.crashAt('after_wal_before_call', refund(20), { premises });
    const later = [{ ...premiseOf(1), fact: 'version-2' }];
    await bench.crashAt('recovery:before-resend', refund(20), { premises: later });
    await bench.open().recover();
    expect(bench.service.validated).toEqual([premises, later, later]);
  });

  test('are not asked for where there are none', async () => {
    await using bench = new Bench(declarations.dedupes);
    await bench.open().submit(proposalOf(refund(20)));
    expect(bench.service.count('validate')).toBe(0);
  });
});

describe('distinct', () => {
  const invented = { ...refund(20), distinct: { reason: 'goodwill' } };

  test('an approval needs no covering, and is another decision than the first', async () => {
    await using bench = new Bench(declarations.dedupes);
    const gate = bench.open();
    await gate.submit(proposalOf(refund(20)));
    for (const distinct of ['a-7', { approval: 'a-8' }]) {
      const second = { ...refund(20), distinct };
      expect((await gate.submit(proposalOf(second))).outcome).toBe('happened');
      expect((await gate.submit(proposalOf(second))).outcome).toBe('happened');
    }
    expect(bench.service.effects).toHaveLength(3);
    expect(new Set(bench.service.effects.map(({ stamp }) => stamp)).size).toBe(3);
    expect(bench.service.effects.map(({ request }) => request)).toEqual(Array(3).fill(refund(20)));
  });

  test('an invented reason is held through submits, recoveries and restarts', async () => {
    await using bench = new Bench(declarations.dedupes);
    for (let restart = 0; restart < 2; restart += 1) {
      const gate = bench.open();
      await gate.submit(proposalOf(invented));
      await gate.recover();
      expect(await gate.ask(invented)).toMatchObject({
        outcome: 'unknown',
        disposition: 'surfaced',
        state: 'HELD',
        attempts: 0,
      });
      await gate.close();
    }
    expect(bench.service.calls).toHaveLength(0);
    expect(await bench.open().ask(refund(20))).toMatchObject({ outcome: 'absent', state: null });
  });

  test('what a person approved waits for a submit, also over a restart', async () => {
    await using bench = new Bench(declarations.dedupes);
    const first = bench.open();
    await first.submit(proposalOf(invented));
    await first.resolve(invented, { decision: 'approve', by, reason });
    await first.close();
    const second = bench.open();
    await second.recover();
    expect(await second.ask(invented)).toMatchObject({ outcome: 'absent', state: 'AUTHORIZED' });
    expect(bench.service.count('apply')).toBe(0);
    expect((await second.submit(proposalOf(invented))).outcome).toBe('happened');
  });

  test('what a person approved still needs a live lease', async () => {
    await using bench = new Bench(declarations.dedupes);
    const gate = bench.open();
    await gate.submit(proposalOf(invented));
    await gate.resolve(invented, { decision: 'approve', by, reason });
    bench.lease = dead;
    const answer = await gate.submit(proposalOf(invented));
    expect(answer).toMatchObject({ outcome: 'refused', state: 'BLOCKED' });
    expect(bench.service.calls).toHaveLength(0);
  });

  test('what a person rejected is blocked, and asked for again it is held again', async () => {
    await using bench = new Bench(declarations.dedupes);
    const gate = bench.open();
    await gate.submit(proposalOf(invented));
    await gate.resolve(invented, { decision: 'reject', by, reason });
    expect(await gate.ask(invented)).toMatchObject({
      outcome: 'refused',
      disposition: 'settled',
      state: 'BLOCKED',
    });
    expect((await gate.submit(proposalOf(invented))).state).toBe('HELD');
    expect(bench.service.calls).toHaveLength(0);
  });

  test('under a dead lease an invented reason is refused, not held', async () => {
    await using bench = new Bench(declarations.dedupes);
    bench.lease = dead;
    expect((await bench.open().submit(proposalOf(invented))).state).toBe('BLOCKED');
  });
});

test('our own stamped effect is no change of what the resend relies on', async () => {
  const declaration = declare({ ...declarations.dedupes, premises: ['value-equals'] });
  await using bench = new Bench(declaration);
  bench.service.applies.push('reply-lost');
  bench.onPoint = ({ point }) => {
    // Our effect is what moved it.
    if (point === 'after_call_before_commit') bench.service.version = 2;
  };
  const answer = await bench.open().submit(proposalOf(refund(20), { premises: [premiseOf(1)] }));
  expect(answer).toMatchObject({ outcome: 'happened', attempts: 2 });
  expect(bench.service.effects).toHaveLength(1);
});

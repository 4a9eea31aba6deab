import { describe, expect, test } from 'vitest';
import { ResolutionError } from './resolve.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations } from './testing/service.ts';
import { verifyLedger } from './verify.ts';

const by = 'Ada';
const reason = 'asked the bank';

test.for([
  ['AMBIGUOUS', declarations.neither],
  ['QUARANTINED', declarations.unbounded],
] as const)('a person ends %s with happened', async ([state, declaration]) => {
  await using bench = await surfaced(declaration);
  const gate = bench.open();
  expect((await gate.ask(refund(20))).state).toBe(state);
  const outcome = await gate.resolve(refund(20), {
    decision: 'happened',
    by,
    reason,
    entityId: 'e',
  });
  expect(outcome).toMatchObject({ outcome: 'happened', state: 'APPLIED', entityId: 'e' });
  expect(outcome.evidence).toContain('Ada');
  expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
});

test.for([
  ['AMBIGUOUS', declarations.neither],
  ['in a window that is over', declarations.dedupes],
  ['QUARANTINED', declarations.unbounded],
] as const)('a person’s absent (%s) lets the next submit send', async ([, declaration]) => {
  await using bench = await surfaced(declaration);
  const gate = bench.open();
  const outcome = await gate.resolve(refund(20), { decision: 'absent', by, reason });
  expect(outcome).toMatchObject({ outcome: 'absent', state: 'CONFIRMED_NOT_APPLIED' });
  const answer = await gate.submit(proposalOf(refund(20)));
  expect(answer).toMatchObject({ outcome: 'happened', attempts: 2 });
});

describe('a held intent', () => {
  const asked = { ...refund(20), distinct: { reason: 'goodwill' } };

  test('goes out after a person approved it', async () => {
    await using bench = new Bench(declarations.dedupes);
    const gate = bench.open();
    await gate.submit(proposalOf(asked));
    const approved = await gate.resolve(asked, { decision: 'approve', by, reason });
    expect(approved).toMatchObject({ outcome: 'absent', state: 'AUTHORIZED' });
    expect(bench.service.count('apply')).toBe(0);
    expect((await gate.submit(proposalOf(asked))).outcome).toBe('happened');
  });

  test('is refused after a person rejected it', async () => {
    await using bench = new Bench(declarations.dedupes);
    const gate = bench.open();
    await gate.submit(proposalOf(asked));
    const rejected = await gate.resolve(asked, { decision: 'reject', by, reason });
    expect(rejected).toMatchObject({ outcome: 'refused', state: 'BLOCKED' });
  });
});

test('what is settled is not resolved again', async () => {
  await using bench = new Bench(declarations.dedupes);
  const gate = bench.open();
  const before = await gate.submit(proposalOf(refund(20)));
  for (const decision of ['happened', 'absent', 'approve', 'reject'] as const) {
    await expect(gate.resolve(refund(20), { decision, by, reason })).rejects.toThrow(
      /an intent in APPLIED can't be resolved/,
    );
  }
  expect(await gate.ask(refund(20))).toEqual(before);
});

test('a resolution needs an intent and a name', async () => {
  await using bench = await surfaced(declarations.neither);
  const gate = bench.open();
  const elsewhere = { order: 'another', amountMinor: 1 };
  await expect(gate.resolve(elsewhere, { decision: 'absent', by, reason })).rejects.toThrow(
    ResolutionError,
  );
  await expect(gate.resolve(refund(20), { decision: 'absent', by: ' ', reason })).rejects.toThrow(
    /name of the person/,
  );
});

async function surfaced(declaration: Bench['declaration']): Promise<Bench> {
  const bench = new Bench(declaration);
  await bench.crashAt('after_wal_before_call');
  bench.nowMs += 100 * 86_400_000;
  const gate = bench.open();
  await gate.recover();
  await gate.close();
  return bench;
}

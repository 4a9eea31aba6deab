import { expect, test } from 'vitest';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations } from './testing/service.ts';
import { verifyLedger } from './verify.ts';

test('an effect is sent once and every later submit joins it', async () => {
  await using bench = new Bench(declarations.dedupes);
  const gate = bench.open();
  const first = await gate.submit(proposalOf(refund(20)));
  expect(first).toMatchObject({ outcome: 'happened', disposition: 'settled', final: true });
  expect(first).toMatchObject({ state: 'APPLIED', entityId: 'effect-1', attempts: 1 });
  const again = await gate.submit(proposalOf(refund(20), { requestId: 'request-2' }));
  expect(again).toEqual(first);
  expect(bench.service.count('apply')).toBe(1);
  expect(bench.points()).toEqual([
    'before_wal',
    'after_wal_before_call',
    'after_call_before_commit',
    'after_commit_before_ack',
  ]);
  expect(bench.reached.map((reached) => reached.attempt)).toEqual([0, 1, 1, 1]);
  expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
});

test.for([
  ['dedupes', 'before_wal', 'absent', 'happened'],
  ['dedupes', 'after_wal_before_call', 'happened', 'happened'],
  ['dedupes', 'after_call_before_commit', 'happened', 'happened'],
  ['dedupes', 'after_commit_before_ack', 'happened', 'happened'],
  ['fence', 'before_wal', 'absent', 'happened'],
  ['fence', 'after_wal_before_call', 'absent', 'happened'],
  ['fence', 'after_call_before_commit', 'happened', 'happened'],
  ['fence', 'after_commit_before_ack', 'happened', 'happened'],
  ['bound', 'before_wal', 'absent', 'happened'],
  ['bound', 'after_wal_before_call', 'absent', 'happened'],
  ['bound', 'after_call_before_commit', 'happened', 'happened'],
  ['bound', 'after_commit_before_ack', 'happened', 'happened'],
  ['unbounded', 'before_wal', 'absent', 'happened'],
  ['unbounded', 'after_wal_before_call', 'unknown', 'unknown'],
  ['unbounded', 'after_call_before_commit', 'happened', 'happened'],
  ['unbounded', 'after_commit_before_ack', 'happened', 'happened'],
  ['neither', 'before_wal', 'absent', 'happened'],
  ['neither', 'after_wal_before_call', 'unknown', 'unknown'],
  ['neither', 'after_call_before_commit', 'unknown', 'unknown'],
  ['neither', 'after_commit_before_ack', 'happened', 'happened'],
  ['marked', 'after_wal_before_call', 'absent', 'happened'],
] as const)('%s: killed at %s, recovery says %s and the same submit %s', async (row) => {
  const [kind, point, recovered, answered] = row;
  await using bench = new Bench(declarations[kind]);
  await bench.crashAt(point);
  const gate = bench.open();
  await gate.recover();
  const learnt = await gate.ask(refund(20));
  expect(learnt.outcome).toBe(recovered);
  expect(learnt.disposition).toBe(recovered === 'unknown' ? 'surfaced' : 'settled');
  const answer = await gate.submit(proposalOf(refund(20)));
  expect(answer.outcome).toBe(answered);
  if (answered === 'happened') expect(bench.service.effects).toHaveLength(1);
  expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
});

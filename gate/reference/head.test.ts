import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { ChainHead } from './chain.ts';
import { Ledger } from './ledger.ts';
import { verifyReceipt } from './receipt.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations } from './testing/service.ts';

test('each settled outcome’s head is handed out after it is recorded, outside any transaction', async () => {
  await using bench = new Bench(declarations.neither);
  const heads: ChainHead[] = [];
  const writer = new Ledger(bench.folder, () => bench.nowMs);
  bench.onHead = (head) => {
    expect(writer.chainEntry(head.seq)?.hash).toBe(head.hash);
    // A writer of another connection would wait for a transaction that is open.
    writer.transact(() => undefined);
    heads.push(head);
  };
  const gate = bench.open();
  const landed = await gate.submit(proposalOf(refund(20)));
  await gate.submit(proposalOf(refund(20)));
  expect(heads).toEqual([{ seq: landed.receipt?.chainSeq, hash: landed.receipt?.chainHash }]);
  if (landed.receipt !== null)
    expect(verifyReceipt(bench.folder, landed.receipt).kind).toBe('holds');

  const other = { order: 'order-2', amountMinor: 1 };
  bench.service.applies.push('request-lost');
  expect((await gate.submit(proposalOf(other))).disposition).toBe('surfaced');
  expect(heads).toHaveLength(1);
  const word = { decision: 'absent', by: 'Ada', reason: 'asked the bank' } as const;
  const resolved = await gate.resolve(other, word);
  expect(heads.at(-1)?.seq).toBe(resolved.receipt?.chainSeq);
  expect(heads).toHaveLength(2);
  writer.close();
});

test('what a recovery settles is handed out too', async () => {
  await using bench = new Bench(declarations.fence);
  await bench.crashAt('after_call_before_commit');
  const heads: ChainHead[] = [];
  bench.onHead = (head) => void heads.push(head);
  const gate = bench.open();
  await gate.recover();
  expect(heads).toEqual([
    expect.objectContaining({ seq: (await gate.ask(refund(20))).receipt?.chainSeq }),
  ]);
});

test.for([
  ['throws', () => Promise.reject(new Error('the signer is away'))],
  [
    'throws at once',
    () => {
      throw new Error('the signer is away');
    },
  ],
] as const)('a signer that %s is noted and changes nothing', async ([, onHead]) => {
  await using bench = new Bench(declarations.dedupes);
  bench.onHead = onHead;
  const noted = once(process, 'warning');
  const answer = await bench.open().submit(proposalOf(refund(20)));
  expect(answer.outcome).toBe('happened');
  const [warning] = await noted;
  expect(warning).toMatchObject({ name: 'GateHeadWarning' });
  expect(String(warning)).toContain('the signer is away');
});

test('a signer that never answers holds up nothing', async () => {
  await using bench = new Bench(declarations.dedupes);
  bench.onHead = () => new Promise(() => undefined);
  const gate = bench.open();
  expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
  await gate.close();
});

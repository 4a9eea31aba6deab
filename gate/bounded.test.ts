import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bounded } from './bounded.ts';

test('an answer in time is handed on, a rejection too', async () => {
  expect(await bounded(Promise.resolve(7), 50)).toEqual({ kind: 'answered', value: 7 });
  await expect(bounded(Promise.reject(new Error('no')), 50)).rejects.toThrow('no');
});

test('a call that never ends is overdue', async () => {
  expect(await bounded(new Promise(() => undefined), 5)).toEqual({ kind: 'overdue' });
});

test('a bound beyond what a timer can hold is no bound of nothing', async () => {
  expect(await bounded(sleep(20, 'late'), 2 ** 40)).toEqual({ kind: 'answered', value: 'late' });
});

test('a call that fails after its bound disturbs nobody', async () => {
  let fail: (thrown: Error) => void = () => undefined;
  const late = new Promise((_resolve, reject) => {
    fail = reject;
  });
  expect(await bounded(late, 1)).toEqual({ kind: 'overdue' });
  fail(new Error('nobody listens'));
  // An unhandled rejection would fail the run here.
  await new Promise(setImmediate);
});

test('what came while the process stood still was in time', async () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const call = turn()
    .then(turn)
    .then(() => 'read afterwards');
  const waiting = bounded(call, 1);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  expect(await waiting).toEqual({ kind: 'answered', value: 'read afterwards' });
});

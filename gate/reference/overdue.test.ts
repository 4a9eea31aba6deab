import { describe, expect, test } from 'vitest';
import type { AnnouncedPoint } from '../gate.ts';
import { lookLimit } from './recovery.ts';
import { ResolutionError } from './resolve.ts';
import { Bench, proposalOf, refund } from './testing/bench.ts';
import { declarations, declare, premiseOf } from './testing/service.ts';
import { verifyLedger } from './verify.ts';

const person = { by: 'Ada', reason: 'asked the bank' };

describe('a send that does not end', () => {
  test.for([
    ['dedupes', 'happened', 'APPLIED', 2],
    ['fence', 'absent', 'CONFIRMED_NOT_APPLIED', 1],
    ['bound', 'unknown', 'QUARANTINED', 1],
    ['unbounded', 'unknown', 'QUARANTINED', 1],
    ['neither', 'unknown', 'AMBIGUOUS', 1],
    ['marked', 'unknown', 'AMBIGUOUS', 1],
  ] as const)('%s: is unknown when its time is over, and ends %s', async (row) => {
    const [kind, outcome, state, attempts] = row;
    await using bench = new Bench(declarations[kind]);
    bench.service.applies.push('hang');
    const answer = await bench.open().submit(proposalOf(refund(20)));
    expect(answer).toMatchObject({ outcome, state, attempts });
    expect(verifyLedger(bench.folder)).toMatchObject({ kind: 'holds' });
  });

  test('a late answer is not heard, and what it did is found by the next look', async () => {
    await using bench = new Bench(declarations.bound);
    bench.service.applies.push('hang');
    const gate = bench.open();
    const surfaced = await gate.submit(proposalOf(refund(20)));
    bench.service.endHung('land');
    expect(await gate.ask(refund(20))).toEqual(surfaced);
    expect(await gate.submit(proposalOf(refund(20)))).toMatchObject({
      outcome: 'happened',
      attempts: 1,
    });
    expect(bench.service.effects).toHaveLength(1);
  });

  test('while it may still send, a look that finds nothing proves nothing', async () => {
    await using bench = new Bench(declarations.bound);
    bench.service.applies.push('hang');
    const gate = bench.open();
    const surfaced = await gate.submit(proposalOf(refund(20)));
    expect(surfaced.evidence).toContain('may still send');
    await gate.recover();
    expect(await gate.submit(proposalOf(refund(20)))).toMatchObject({ state: 'QUARANTINED' });
    expect(bench.service.count('apply')).toBe(1);

    const endedAtMs = performance.now();
    bench.service.endHung('cut');
    await new Promise(setImmediate);
    await gate.recover();
    expect((await gate.ask(refund(20))).state).toBe('CONFIRMED_NOT_APPLIED');
    // Bound and lag count from its end.
    expect(bench.service.calls.at(-1)?.atMs).toBeGreaterThanOrEqual(endedAtMs + 40);
    expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
    expect(bench.service.effects).toHaveLength(1);
  });

  test('while it may still send, no other gate takes the intent, nor after its gate is closed', async () => {
    await using bench = new Bench(declarations.bound);
    bench.service.applies.push('hang');
    const first = bench.open();
    const second = bench.open({ joinWaitMs: 0 });
    await first.submit(proposalOf(refund(20)));
    const looks = bench.service.count('query');
    for (const close of [async () => undefined, () => first.close()]) {
      await close();
      await second.recover();
      const answer = await second.submit(proposalOf(refund(20)));
      expect(answer).toMatchObject({ outcome: 'unknown', disposition: 'working' });
      expect(answer.evidence).toContain('owned, alive');
    }
    expect(bench.service.count('query')).toBe(looks);
    bench.service.endHung('land');
    await new Promise(setImmediate);
    expect((await second.submit(proposalOf(refund(20)))).outcome).toBe('happened');
    expect(bench.service.effects).toHaveLength(1);
  });

  test('while it may still send, nobody’s word makes it absent', async () => {
    await using bench = new Bench(declarations.neither);
    bench.service.applies.push('hang');
    const [first, second] = [bench.open(), bench.open()];
    await first.submit(proposalOf(refund(20)));
    for (const gate of [first, second]) {
      const absent = gate.resolve(refund(20), { ...person, decision: 'absent' });
      await expect(absent).rejects.toThrow(ResolutionError);
    }
    bench.service.endHung('cut');
    await new Promise(setImmediate);
    await first.resolve(refund(20), { ...person, decision: 'absent' });
    expect((await first.submit(proposalOf(refund(20)))).outcome).toBe('happened');
    expect(bench.service.effects).toHaveLength(1);
  });

  test('one that had not passed its point of no return may not pass it any more', async () => {
    await using bench = new Bench(declarations.marked);
    let goOn: () => void = () => undefined;
    bench.service.beforeSend = new Promise((resolve) => {
      goOn = resolve;
    });
    const gate = bench.open();
    const answer = await gate.submit(proposalOf(refund(20)));
    expect(answer).toMatchObject({ outcome: 'absent', state: 'CONFIRMED_NOT_APPLIED' });
    bench.service.beforeSend = Promise.resolve();
    expect((await gate.submit(proposalOf(refund(20)))).outcome).toBe('happened');
    goOn();
    await new Promise(setImmediate);
    expect(bench.service.count('apply')).toBe(1);
    expect(bench.service.effects).toHaveLength(1);
  });

  test('nor while this very gate is at work on the next attempt', async () => {
    const declaration = declare({ ...declarations.dedupes, noReturnMark: true });
    await using bench = new Bench(declaration);
    bench.service.applies.push('request-lost');
    let goOn: () => void = () => undefined;
    bench.onPoint = ({ point, attempt }) => {
      if (point !== 'recovery:before-resend') return;
      if (attempt === 2) {
        bench.service.beforeSend = new Promise((resolve) => {
          goOn = resolve;
        });
      } else {
        bench.service.beforeSend = Promise.resolve();
        goOn();
      }
    };
    const answer = await bench.open().submit(proposalOf(refund(20)));
    expect(answer).toMatchObject({ outcome: 'happened', attempts: 3 });
    expect(bench.service.count('apply')).toBe(2);
  });
});

describe('a look that does not end', () => {
  test.for(['bound', 'fence'] as const)('%s: could not tell, the next decides', async (kind) => {
    await using bench = new Bench(declarations[kind]);
    await bench.crashAt('after_wal_before_call');
    bench.service.looks.push('hang');
    const gate = bench.open();
    await gate.recover();
    expect((await gate.ask(refund(20))).state).toBe('CONFIRMED_NOT_APPLIED');
  });

  test('after six of them the intent is surfaced', async () => {
    await using bench = new Bench({ ...declarations.bound, clientTimeoutMs: 4 });
    await bench.crashAt('after_call_before_commit' satisfies AnnouncedPoint);
    for (let look = 0; look < lookLimit; look += 1) bench.service.looks.push('hang');
    const gate = bench.open();
    await gate.recover();
    const surfaced = await gate.ask(refund(20));
    expect(surfaced).toMatchObject({ disposition: 'surfaced', state: 'QUARANTINED' });
    expect(surfaced.evidence).toContain('did not end within 20 ms');
    await gate.recover();
    expect((await gate.ask(refund(20))).outcome).toBe('happened');
  });
});

test('a check of premises that does not end sends nothing and refuses nothing', async () => {
  await using bench = new Bench({ ...declarations.dedupes, clientTimeoutMs: 4 });
  bench.service.validateHangs = true;
  const gate = bench.open();
  const premises = [premiseOf(1)];
  const answer = await gate.submit(proposalOf(refund(20), { premises }));
  expect(answer).toMatchObject({ outcome: 'absent', state: 'PROPOSED' });
  expect(answer.evidence).toContain('validate did not end within 20 ms');
  expect(bench.service.count('apply')).toBe(0);
  bench.service.validateHangs = false;
  expect((await gate.submit(proposalOf(refund(20), { premises }))).outcome).toBe('happened');
});

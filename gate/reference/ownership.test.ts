import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IncarnationLock } from './ownership.ts';
import { proposalOf, refund } from './testing/bench.ts';
import { declarations } from './testing/service.ts';
import { Shared } from './testing/shared.ts';
import { GateProcesses } from './testing/spawn-gate.ts';
import { verifyLedger } from './verify.ts';

let processes: GateProcesses;
beforeAll(async () => {
  processes = await GateProcesses.build();
});
afterAll(async () => {
  await processes[Symbol.asyncDispose]();
});

test('an owner stopped by SIGSTOP still owns: the second gate says so and sends nothing', async () => {
  await using shared = await Shared.open(processes, declarations.dedupes);
  const owner = shared.start({ stopAt: 'after_wal_before_call' });
  await owner.said('at ');
  owner.signal('SIGSTOP');

  const second = shared.gate({ joinWaitMs: 30 });
  await second.recover();
  const answer = await second.submit(proposalOf(refund(20)));
  expect(answer).toMatchObject({ outcome: 'unknown', disposition: 'working', state: 'IN_FLIGHT' });
  expect(answer.evidence).toContain('owned, alive');
  expect(await second.ask(refund(20))).toMatchObject({ disposition: 'working' });
  expect(shared.service.count('apply')).toBe(0);

  owner.signal('SIGCONT');
  owner.go();
  await owner.exited();
  expect(await second.submit(proposalOf(refund(20)))).toMatchObject({
    outcome: 'happened',
    attempts: 1,
  });
  expect(shared.service.count('apply')).toBe(1);
});

test('a submit that joins a living owner waits for its end', async () => {
  await using shared = await Shared.open(processes, declarations.neither);
  const owner = shared.start({ stopAt: 'after_wal_before_call' });
  await owner.said('at ');
  const second = shared.gate({ joinWaitMs: 10_000 });
  const answer = second.submit(proposalOf(refund(20)));
  owner.go();
  expect(await answer).toMatchObject({ outcome: 'happened', attempts: 1 });
  expect(shared.service.effects).toHaveLength(1);
});

test('an owner killed by SIGKILL owns nothing, and recovery starts at once', async () => {
  await using shared = await Shared.open(processes, declarations.dedupes);
  const owner = shared.start({ stopAt: 'after_call_before_commit' });
  await owner.said('at ');
  await owner.kill();
  const second = shared.gate({});
  await second.recover();
  expect(await second.ask(refund(20))).toMatchObject({ outcome: 'happened', attempts: 2 });
  expect(shared.service.effects).toHaveLength(1);
  expect(verifyLedger(shared.folder)).toMatchObject({ kind: 'holds' });
});

test('an owner that was probed many times still owns', async () => {
  await using shared = await Shared.open(processes, declarations.neither);
  const owner = shared.start({ stopAt: 'after_wal_before_call' });
  await owner.said('at ');
  const [name] = lockNames(shared.folder);
  const prober = new IncarnationLock(shared.folder);
  for (let probe = 0; probe < 20; probe += 1) {
    expect(prober.isAlive(String(name?.replace('.lock', '')))).toBe(true);
  }
  prober.release();
});

test('two recoveries at once look after an intent once', async () => {
  await using shared = await Shared.open(processes, declarations.bound);
  const owner = shared.start({ stopAt: 'after_call_before_commit' });
  await owner.said('at ');
  await owner.kill();
  const first = shared.start({ work: 'recover', stopAt: 'recovery:before-lookup' });
  await first.said('at ');
  const second = shared.gate({});
  await second.recover();
  expect(shared.service.count('query')).toBe(0);
  first.go();
  await first.exited();
  expect(shared.service.count('query')).toBe(1);
  expect((await second.ask(refund(20))).outcome).toBe('happened');
});

test('many gates open one new ledger at the same time', async () => {
  await using shared = await Shared.open(processes, declarations.dedupes);
  const children = Array.from({ length: 5 }, () => shared.start({}));
  for (const child of children) {
    expect(JSON.parse(await child.said('outcome '))).toMatchObject({ outcome: 'happened' });
  }
  expect(shared.service.effects).toHaveLength(1);
  expect(shared.service.count('apply')).toBe(1);
  expect(verifyLedger(shared.folder)).toMatchObject({ kind: 'holds' });
});

test('in one process a gate’s lock is seen by another gate and not dropped by its look', async () => {
  const folder = temporary();
  const first = new IncarnationLock(folder);
  const second = new IncarnationLock(folder);
  expect(second.isAlive(first.id)).toBe(true);
  expect(second.isAlive(first.id)).toBe(true);
  expect(first.isAlive(first.id)).toBe(true);
  first.release();
  expect(second.isAlive(first.id)).toBe(false);
  second.release();
  rmSync(folder, { recursive: true });
});

test('files of the dead go unless an intent names them, locked ones stay', async () => {
  const folder = temporary();
  const living = new IncarnationLock(folder);
  writeFileSync(join(folder, 'owners', 'dead.lock'), '');
  writeFileSync(join(folder, 'owners', 'named.lock'), '');
  const cleaner = new IncarnationLock(folder);
  cleaner.removeStale((owner) => owner === 'named');
  expect(lockNames(folder)).toEqual(
    [`${living.id}.lock`, `${cleaner.id}.lock`, 'named.lock'].sort(),
  );
  expect(cleaner.isAlive(living.id)).toBe(true);
  living.release();
  cleaner.release();
  expect(lockNames(folder)).toEqual(['named.lock']);
  rmSync(folder, { recursive: true });
});

test('an owner without a file is dead', () => {
  const folder = temporary();
  const lock = new IncarnationLock(folder);
  expect(lock.isAlive('never-was')).toBe(false);
  lock.release();
  rmSync(folder, { recursive: true });
});

function temporary(): string {
  return mkdtempSync(join(tmpdir(), 'gate-owners-'));
}

function lockNames(folder: string): readonly string[] {
  return readdirSync(join(folder, 'owners')).sort();
}

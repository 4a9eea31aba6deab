import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubmitMessage } from '../../gate/protocol.ts';
import { readProcess } from '../kills/process-table.ts';
import { observedEventSchema } from '../model/history.ts';
import { credential, openStage, type Stage } from './testing/start-fixture.ts';

let stage: Stage;
beforeEach(() => {
  stage = openStage();
});
afterEach(() => {
  for (const event of stage.events)
    expect(observedEventSchema.safeParse(event).error).toBeUndefined();
  stage.clear();
});

function submit(id: number): SubmitMessage {
  return {
    type: 'submit',
    id,
    requestId: `request-${id}`,
    request: {},
    lease: 'lease',
    premises: [],
  };
}

function isAlive(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== null && entry.state !== 'Z' && entry.state !== 'X';
}

describe('a subject that behaves', () => {
  it('is ready, reaches its point, goes on when told to, answers and leaves when asked', async () => {
    const subject = await stage.start('answers');
    expect(subject.ready).toMatchObject({ pid: subject.pid, name: 'fixture' });
    const answered = subject.call(submit(1), 5000);
    expect(await subject.nextAt()).toMatchObject({ point: 'after_wal_before_call', occurrence: 1 });
    subject.send({ type: 'go' });
    expect(await answered).toMatchObject({
      kind: 'outcome',
      outcome: { evidence: 'told to go', re: 1 },
    });
    expect(await subject.call({ type: 'recover', id: 2 }, 5000)).toEqual({ kind: 'done' });
    await subject.stop(5000);
    expect(await subject.exited).toEqual({ code: 0, signal: null });
    expect(stage.types()).toEqual([
      'spawned',
      'sent',
      'said',
      'sent',
      'said',
      'sent',
      'said',
      'sent',
      'said',
      'sent',
      'exited',
    ]);
    expect(stage.registry.size).toBe(0);
    expect(existsSync(join(stage.folder, 'stdout.txt'))).toBe(false);
  });

  it('has neither its credentials nor its token in the history', async () => {
    const subject = await stage.start('answers');
    await subject.stop(5000);
    const history = JSON.stringify(stage.events);
    expect(history).not.toContain(credential);
    expect(history).toContain('"credentials":{}');
    expect(history).not.toContain('token-of');
  });

  it('has no token in the history though it repeats it', async () => {
    const subject = await stage.start('answers');
    const answer = await subject.call(
      { type: 'ask', id: 1, request: { environment: 'KILLPOINT_TOKEN' } },
      5000,
    );
    expect(answer).toMatchObject({ outcome: { evidence: '[token]' } });
    expect(JSON.stringify(stage.events)).not.toContain('token-of');
    await subject.stop(5000);
  });

  it('sees of the environment only what is named', async () => {
    process.env.KILLPOINT_TEST_LEAK = 'leaked';
    const subject = await stage.start('answers', { env: { GIVEN: 'yes' } });
    const names = readFileSync(`/proc/${subject.pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    delete process.env.KILLPOINT_TEST_LEAK;
    expect(names).toEqual(expect.arrayContaining(['PATH', 'GIVEN', 'KILLPOINT_TOKEN']));
    expect(names).not.toContain('KILLPOINT_TEST_LEAK');
    await subject.stop(5000);
  });

  it('may answer in lines of 300 KB, several of them at once', async () => {
    const subject = await stage.start('answers');
    const length = 100_000;
    const answers = await Promise.all(
      [1, 2, 3].map((id) => subject.call({ type: 'ask', id, request: { length } }, 5000)),
    );
    expect(
      answers.map((answer) => answer.kind === 'outcome' && answer.outcome.evidence.length),
    ).toEqual([length, length, length]);
    await subject.stop(5000);
  });

  it('is killed while it blocks at a point, and the kill is proven', async () => {
    const subject = await stage.start('answers');
    const answered = subject.call(submit(1), 5000);
    await subject.nextAt();
    expect(await subject.kill()).toEqual({ provenSigkill: true, survivors: [] });
    expect(await answered).toEqual({ kind: 'ended' });
    expect(await subject.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(stage.types().slice(-3)).toEqual(['kill-sent', 'exited', 'survivors']);
    expect(await subject.nextAt()).toBe('ended');
    expect(await subject.call(submit(2), 5000)).toEqual({ kind: 'ended' });
    subject.send({ type: 'go' });
    await subject.stop(1000);
    expect(stage.misbehaviours()).toEqual([]);
  });
});

describe('a subject that misbehaves', () => {
  it('and is silent leaves its calls to their deadlines', async () => {
    const subject = await stage.start('forever');
    expect(await subject.call(submit(1), 30)).toEqual({ kind: 'silent' });
    expect((await subject.kill()).provenSigkill).toBe(true);
  });

  it('and dies uninvited answers its calls with its end, and the kill that comes too late proves nothing', async () => {
    const subject = await stage.start('dies-on-submit');
    const point = subject.nextAt();
    expect(await subject.call(submit(1), 5000)).toEqual({ kind: 'ended' });
    expect(await point).toBe('ended');
    expect(await subject.kill()).toEqual({ provenSigkill: false, survivors: [] });
    expect(stage.types()).not.toContain('kill-sent');
    expect(stage.misbehaviours()).toEqual([
      { what: 'died', detail: 'ended by itself: exit code 7' },
    ]);
  });

  it('and speaks nonsense is quoted five times, without its secrets', async () => {
    const subject = await stage.start('speaks-nonsense');
    expect(await subject.call(submit(1), 200)).toEqual({ kind: 'silent' });
    await subject.kill();
    const said = stage.misbehaviours();
    expect(said.map(({ what }) => what)).toEqual(Array(5).fill('nonsense'));
    expect(said[0]?.detail).toBe('no JSON: log: using [secret]');
    expect(said[1]?.detail).toContain('no message of the protocol');
  });

  it('and floods stdout is never blocked by it, and keeps 1 MiB of it as evidence', async () => {
    const subject = await stage.start('floods-stdout');
    await subject.stop(5000);
    expect(statSync(join(stage.folder, 'stdout.txt')).size).toBe(1024 * 1024);
    expect(stage.misbehaviours()).toEqual([
      { what: 'flood', detail: 'stdout: more than 1 MiB; the rest is thrown away' },
    ]);
  });

  it('and floods the channel is heard no more', async () => {
    const subject = await stage.start('floods-channel');
    expect(await subject.call(submit(1), 500)).toEqual({ kind: 'silent' });
    expect(await subject.kill()).toEqual({ provenSigkill: true, survivors: [] });
    expect(stage.misbehaviours().map(({ what }) => what)).toEqual(['flood']);
  });

  it('and ignores the end is killed after its deadline', async () => {
    const subject = await stage.start('ignores-eof');
    await subject.stop(50);
    expect(await subject.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(isAlive(subject.pid)).toBe(false);
  });
});

describe('a subject with descendants', () => {
  it('takes those of its group with it', async () => {
    const subject = await stage.start('leaves-a-child');
    const child = Number(subject.ready.version);
    expect(await subject.kill()).toEqual({ provenSigkill: true, survivors: [] });
    expect(isAlive(child)).toBe(false);
  });

  it('that one of them left is convicted by its token, and the runaway is killed', async () => {
    const subject = await stage.start('leaves-a-grandchild');
    const grandchild = Number(subject.ready.version);
    const beganMs = performance.now();
    expect(await subject.kill()).toEqual({ provenSigkill: true, survivors: [grandchild] });
    expect(performance.now() - beganMs).toBeLessThan(2000);
    expect(isAlive(grandchild)).toBe(false);
    expect(stage.events.at(-1)).toMatchObject({ type: 'survivors', pids: [grandchild] });
  });

  it('that one of them left and forgot is convicted by its descent, and the runaway is killed', async () => {
    const subject = await stage.start('leaves-a-runaway');
    const runaway = Number(subject.ready.version);
    expect(await subject.kill()).toEqual({ provenSigkill: true, survivors: [runaway] });
    expect(isAlive(runaway)).toBe(false);
  });

  it('leaves nothing behind that it forgot when it is asked to leave', async () => {
    const subject = await stage.start('leaves-a-runaway');
    const runaway = Number(subject.ready.version);
    await subject.stop(5000);
    expect(isAlive(runaway)).toBe(false);
    expect(stage.events.at(-1)).toMatchObject({ type: 'survivors', pids: [runaway] });
  });

  it('does not take another incarnation’s process for its own', async () => {
    const first = await stage.start('forever');
    const second = await stage.start('forever', { incarnation: 2, role: 'storm' });
    expect(await first.kill()).toEqual({ provenSigkill: true, survivors: [] });
    expect(isAlive(second.pid)).toBe(true);
    await second.kill();
  });

  it.each(['leaves-a-grandchild', 'leaves-a-runaway'])(
    'is ended with all of them when the run is interrupted: %s',
    async (fixture) => {
      const subject = await stage.start(fixture);
      const descendant = Number(subject.ready.version);
      stage.registry.killAll();
      await subject.exited;
      await expect.poll(() => isAlive(descendant)).toBe(false);
    },
  );

  it('is not started any more once everything has been killed', async () => {
    stage.registry.killAll();
    await expect(stage.start('answers')).rejects.toMatchObject({ code: 'interrupted' });
    expect(stage.types()).toEqual([]);
  });

  it('is killed at once when everything was killed while it was being started', async () => {
    const starting = stage.start('never-ready');
    stage.registry.killAll();
    await expect(starting).rejects.toMatchObject({ code: 'subject-died' });
    expect(stage.registry.size).toBe(0);
  });
});

describe('a subject that does not get ready', () => {
  it.each([
    ['never-ready', 'subject-not-ready', 'not-ready', 300],
    ['dies-at-once', 'subject-died', 'died', 10_000],
    ['wrong-pid', 'subject-not-ready', 'wrong-pid', 10_000],
  ])('because it is %s is told apart and cleaned up', async (fixture, code, what, readyMs) => {
    await expect(stage.start(fixture, { readyMs })).rejects.toMatchObject({
      name: 'HarnessError',
      code,
    });
    expect(stage.misbehaviours().map((misbehaved) => misbehaved.what)).toEqual([what]);
    expect(stage.types()).toContain('exited');
    expect(stage.registry.size).toBe(0);
    if (fixture === 'dies-at-once') {
      expect(readFileSync(join(stage.folder, 'stderr.txt'), 'utf8')).toBe('no ledger, no life\n');
    }
  });

  it('because its program is not there is told so', async () => {
    const command = ['/nowhere/no-such-program'];
    await expect(stage.start('answers', { command })).rejects.toThrow(/no-such-program.*ENOENT/);
    expect(stage.misbehaviours().map(({ what }) => what)).toEqual(['not-started']);
    await expect(stage.start('answers', { command: [] })).rejects.toMatchObject({
      code: 'subject-not-started',
    });
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { HarnessError } from '../model/errors.ts';
import {
  findDescendants,
  findLive,
  isLive,
  parseStat,
  readProcess,
  requireProcessTable,
} from './process-table.ts';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

function start(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, ...env },
  });
  children.push(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} was not started`);
  return {
    child,
    marks: { pid, token: 'kept', startedTicks: readProcess(pid)?.startedTicks ?? 0 },
  };
}

describe('the process table', () => {
  it('reads names that hold spaces and parentheses', () => {
    const tail = Array.from({ length: 40 }, (_, index) => index + 4).join(' ');
    expect(parseStat(`17 (a) S 1 (b c)) R ${tail}`)).toEqual({
      pid: 17,
      name: 'a) S 1 (b c)',
      state: 'R',
      parent: 4,
      group: 5,
      startedTicks: 22,
    });
    expect(parseStat('')).toBeNull();
    expect(parseStat('17 (cut')).toBeNull();
  });

  it('agrees with the system about this very process', () => {
    expect(readProcess(process.pid)).toMatchObject({ pid: process.pid });
    expect(readProcess(2 ** 30)).toBeNull();
  });

  it('finds the members of a group, and nothing once they are gone', async () => {
    const { child, marks } = start('sleep', ['60']);
    expect(findLive(marks)).toMatchObject([{ pid: marks.pid, foundBy: 'group' }]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(findLive(marks)).toEqual([]);
  });

  it('finds a holder of the token in another group, but not of one that only begins like it', () => {
    const { marks } = start('sleep', ['60']);
    const stray = start('sleep', ['60'], { KILLPOINT_TOKEN: 'kept' });
    start('sleep', ['60'], { KILLPOINT_TOKEN: 'kept.2' });
    expect(findLive(marks).filter(({ foundBy }) => foundBy === 'token')).toMatchObject([
      { pid: stray.marks.pid, foundBy: 'token' },
    ]);
  });

  it('leaves out what started before the subject', () => {
    const { marks } = start('sleep', ['60']);
    expect(findLive({ ...marks, startedTicks: marks.startedTicks + 1_000_000 })).toEqual([]);
  });

  it('counts a zombie as dead', async () => {
    // The shell becomes `sleep`, which never reaps the child the shell had.
    const { child, marks } = start('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60']);
    if (child.stdout === null) throw new Error('no stdout');
    const [line] = await once(child.stdout, 'data');
    const zombie = Number(String(line).trim());
    await expect.poll(() => readProcess(zombie)?.state, { timeout: 5000 }).toBe('Z');
    const entry = readProcess(zombie);
    expect(entry === null ? null : [isLive(entry), entry.group]).toEqual([false, marks.pid]);
    expect(findLive(marks)).toMatchObject([{ pid: marks.pid, foundBy: 'group' }]);
  });

  it('finds by descent what has left the group and given up the token, and knows it once orphaned', async () => {
    const script = 'setsid env -i sh -c "sleep 60 & echo \\$\\$ \\$!; wait" & wait';
    const { child, marks } = start('sh', ['-c', script], { KILLPOINT_TOKEN: 'kept' });
    const [line] = await once(child.stdout ?? child, 'data');
    const runaways = String(line).trim().split(' ').map(Number);
    try {
      const descendants = findDescendants(marks);
      expect(descendants.map(({ pid }) => pid)).toEqual(expect.arrayContaining(runaways));
      process.kill(-marks.pid, 'SIGKILL');
      await once(child, 'exit');
      expect(findDescendants(marks)).toEqual([]);
      const found = findLive(marks, descendants);
      expect(found.map(({ pid }) => pid).sort()).toEqual(runaways.sort());
      expect(new Set(found.map(({ foundBy }) => foundBy))).toEqual(new Set(['descent']));
      const others = descendants.map((known) => ({
        ...known,
        startedTicks: known.startedTicks + 1,
      }));
      expect(findLive(marks, others)).toEqual([]);
    } finally {
      for (const pid of runaways) process.kill(pid, 'SIGKILL');
    }
  });

  it('says what to do where there is none', () => {
    expect(() => requireProcessTable('linux')).not.toThrow();
    expect(() => requireProcessTable('darwin')).toThrow(HarnessError);
    expect(() => requireProcessTable('win32')).toThrow(/run Killpoint on Linux/);
  });
});

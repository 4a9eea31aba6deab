import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { type LockHolder, takeRunLock } from './run-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killpoint-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = '2025-06-01T00:00:00.000Z';
const holder = (pid: number, changes: Partial<LockHolder> = {}): LockHolder => ({
  pid,
  host: 'here',
  startedAt: at,
  processStart: `start of ${pid}`,
  ...changes,
});
/** A machine on which just these run. */
const take = (self: LockHolder, live: readonly number[]) =>
  takeRunLock({
    folder,
    holder: self,
    findProcess: (pid) => (live.includes(pid) ? { processStart: `start of ${pid}` } : undefined),
  });

describe('the lock of a results folder', () => {
  it('is refused to a second run, which is told who holds it and since when', () => {
    take(holder(11), [11, 12]);
    expect(() => take(holder(12), [11, 12])).toThrow(UsageError);
    expect(() => take(holder(12), [11, 12])).toThrow(
      `since ${at}: process 11 on here; wait for its end, or choose another folder with --out`,
    );
  });
  it('is free again once it was released, and leaves nothing behind', () => {
    take(holder(11), [11]).release();
    expect(readdirSync(folder)).toEqual([]);
    take(holder(12), [11, 12]);
    expect(readdirSync(folder)).toEqual(['run.lock']);
  });
  it('is taken over from a dead holder, and from one whose pid is another process by now', () => {
    take(holder(11), [11]);
    take(holder(12), [12]);
    take(holder(13, { processStart: 'start of 13' }), [13]);
    writeFileSync(
      join(folder, 'run.lock'),
      `${JSON.stringify(holder(14, { processStart: 'long ago' }))}\n`,
    );
    take(holder(15), [14, 15]);
    expect(readdirSync(folder)).toEqual(['run.lock']);
    expect(readFileSync(join(folder, 'run.lock'), 'utf8')).toContain('"pid":15');
  });
  it('of another machine counts, since nobody here can tell whether it lives', () => {
    take(holder(11, { host: 'elsewhere' }), []);
    expect(() => take(holder(12), [12])).toThrow('process 11 on elsewhere');
  });
  it('that was taken over is not given free by its former holder', () => {
    const former = take(holder(11), [11]);
    take(holder(12), [12]);
    former.release();
    expect(readdirSync(folder)).toEqual(['run.lock']);
  });
  it('is not taken from a file that names nobody', () => {
    writeFileSync(join(folder, 'run.lock'), 'mine');
    expect(() => take(holder(12), [12])).toThrow(/run\.lock.*remove the file/);
    expect(readFileSync(join(folder, 'run.lock'), 'utf8')).toBe('mine');
  });
});

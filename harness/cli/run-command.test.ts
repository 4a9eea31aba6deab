import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();

const green = 'reference/stripe.keyed/during_call:now/none/none/same-again/1';
const cannotMeet = 'reference/stripe.keyed/before_wal/reply-lost@first-send/none/same-again';

describe('a results folder', () => {
  const lockOf = (pid: number) =>
    JSON.stringify({
      pid,
      host: hostname(),
      startedAt: '2025-06-01T10:00:00.000Z',
      processStart: null,
    });

  it('in which another run writes is refused with who and since when', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'r'));
    writeFileSync(join(folder, 'r/run.lock'), lockOf(process.ppid));
    const run = await runCli(folder, ['run', green, '--out', 'r']);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toContain(`since 2025-06-01T10:00:00.000Z: process ${process.ppid}`);
    expect(existsSync(join(folder, 'r/chaos.json'))).toBe(false);
    expect(readFileSync(join(folder, 'r/run.lock'), 'utf8')).toBe(lockOf(process.ppid));
  });
  it('whose holder is dead is taken over, and free afterwards', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'r'));
    // Above what Linux gives out.
    writeFileSync(join(folder, 'r/run.lock'), lockOf(4_194_305));
    expect((await runCli(folder, ['run', cannotMeet, '--out', 'r'])).exitCode).toBe(2);
    expect(existsSync(join(folder, 'r/run.lock'))).toBe(false);
  });
  it('with a read-only chaos.json is refused before anything runs', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'r'));
    writeFileSync(join(folder, 'r/chaos.json'), 'mine', { mode: 0o444 });
    const run = await runCli(folder, ['run', cannotMeet, '--out', 'r']);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toMatch(/chaos\.json is read-only; choose another with --out/);
    expect(readFileSync(join(folder, 'r/chaos.json'), 'utf8')).toBe('mine');
  });
});

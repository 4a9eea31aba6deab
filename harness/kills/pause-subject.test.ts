import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { signalGroup } from './kill-subject.ts';
import { pauseSubject } from './pause-subject.ts';
import { readProcess } from './process-table.ts';

const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.pid !== undefined) signalGroup(child.pid);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

function start(program: string, args: readonly string[]): { child: ChildProcess; pid: number } {
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  if (child.pid === undefined) throw new Error(`${program} was not started`);
  return { child, pid: child.pid };
}

async function lineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout');
  const [line] = await once(child.stdout, 'data');
  return String(line).trim();
}

const marksOf = (pid: number) => ({ pid, token: 'none', startedTicks: 0 });
const stateOf = (pid: number) => readProcess(pid)?.state;

describe('pausing a subject', () => {
  it('stops its whole group and lets the whole group go on', async () => {
    const { child, pid } = start('sh', ['-c', 'sleep 60 & echo $!; wait']);
    const grandchild = Number(await lineOf(child));
    const pause = await pauseSubject(marksOf(pid));
    expect([pid, grandchild].map(stateOf)).toEqual(['T', 'T']);
    pause.resume();
    await expect.poll(() => [pid, grandchild].map(stateOf)).toEqual(['S', 'S']);
  });

  it('is not proven when something else lets the process go on', async () => {
    const { pid } = start('sleep', ['60']);
    const pause = await pauseSubject(marksOf(pid));
    process.kill(pid, 'SIGCONT');
    await expect.poll(() => stateOf(pid)).toBe('S');
    expect(() => pause.resume()).toThrow(/to be in state T until .* got S/);
  });

  it('is not proven when the process is gone', async () => {
    const { child, pid } = start('sleep', ['60']);
    const pause = await pauseSubject(marksOf(pid));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(() => pause.resume()).toThrow(/no such process/);
  });

  it('ends with whoever paused, however that one ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'killpoint-pause-'));
    try {
      const bundle = join(folder, 'pause-subject.mjs');
      await build({
        entryPoints: [join(import.meta.dirname, 'pause-subject.ts')],
        outfile: bundle,
        bundle: true,
        platform: 'node',
        format: 'esm',
        logLevel: 'silent',
      });
      const { pid } = start('sleep', ['60']);
      const script = `const { pauseSubject } = await import(${JSON.stringify(bundle)});
        await pauseSubject(${JSON.stringify(marksOf(pid))});
        console.log('paused');
        setInterval(() => {}, 1000);`;
      const pauser = start(process.execPath, ['--input-type=module', '-e', script]).child;
      expect(await lineOf(pauser)).toBe('paused');
      expect(stateOf(pid)).toBe('T');
      pauser.kill('SIGKILL');
      await expect.poll(() => stateOf(pid)).toBe('S');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

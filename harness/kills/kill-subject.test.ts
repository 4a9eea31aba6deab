import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Exit, endSurvivors, killSubject, signalProcess } from './kill-subject.ts';
import { readProcess } from './process-table.ts';

function start(script: string) {
  const child = spawn('sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, KILLPOINT_TOKEN: 'killed' },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('sh was not started');
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const marks = { pid, token: 'killed', startedTicks: readProcess(pid)?.startedTicks ?? 0 };
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  return { child, marks, exited, hasExited };
}

describe('killing a subject', () => {
  it('ends its whole group and is proven by the exit', async () => {
    const { child, ...subject } = start('sleep 60 & sleep 60 & echo up; wait');
    await once(child.stdout, 'data');
    let sent = 0;
    const onSent = () => {
      sent += 1;
    };
    expect(await killSubject({ ...subject, onSent })).toEqual({
      exit: { code: null, signal: 'SIGKILL' },
      provenSigkill: true,
      survivors: [],
    });
    expect(sent).toBe(1);
  });

  it('that has ended by itself is no kill, and nothing is said to have been sent', async () => {
    const { child: _child, ...subject } = start('exit 3');
    await subject.exited;
    const onSent = () => {
      throw new Error('sent to the dead');
    };
    expect(await killSubject({ ...subject, onSent })).toEqual({
      exit: { code: 3, signal: null },
      provenSigkill: false,
      survivors: [],
    });
  });

  it('that has ended by itself still ends what it left in its group', async () => {
    const { child, marks, exited } = start('sleep 60 & echo $!');
    const [line] = await once(child.stdout, 'data');
    await exited;
    expect(readProcess(Number(String(line).trim()))?.group).toBe(marks.pid);
    expect(await endSurvivors(marks)).toEqual([]);
    expect(readProcess(Number(String(line).trim()))?.state ?? 'Z').toBe('Z');
  });

  it('that is gone is no error', () => {
    expect(signalProcess(2 ** 30)).toBe(false);
  });
});

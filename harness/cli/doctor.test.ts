import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Check, checkCores, checkNode, checkPlatform, tryProbe } from './doctor-checks.ts';
import { runCli } from './testing/cli.ts';

describe('killpoint doctor', () => {
  it('finds a machine that can run the suite fit to run Killpoint', async () => {
    const run = await runCli(tmpdir(), ['doctor', '--json']);
    expect(run.exitCode).toBe(0);
    const { checks } = JSON.parse(run.printed);
    expect(checks.map((check: { name: string }) => check.name)).toEqual([
      'platform',
      'node',
      'temporary folder',
      'sqlite',
      'process table',
      'strace',
      'cores',
      'disk',
    ]);
  });
  it('says of everything that is missing what it costs and what to do', async () => {
    const run = await runCli(tmpdir(), ['doctor', '--json']);
    for (const { state, cost, remedy } of JSON.parse(run.printed).checks) {
      expect([cost === null, remedy === null]).toEqual([state === 'fine', state === 'fine']);
    }
  });
  it('calls a temporary folder that is not there fatal, says what it costs, and looks at the rest', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = '/nowhere/at/all';
    try {
      const run = await runCli('/', ['doctor', '--json']);
      expect(run.exitCode).toBe(70);
      const { checks } = JSON.parse(run.printed) as { checks: Check[] };
      expect(checks.map(({ name }) => name)).toHaveLength(8);
      expect(checks.find(({ name }) => name === 'temporary folder')).toMatchObject({
        state: 'fatal',
        found: expect.stringContaining('/nowhere/at/all'),
        cost: expect.stringContaining('nothing can run'),
        remedy: expect.stringContaining('TMPDIR'),
      });
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
  it('reports a probe that fails instead of failing with it', async () => {
    const check = await tryProbe('disk', () => {
      throw new Error('no such call');
    });
    expect(check).toMatchObject({ name: 'disk', state: 'missing' });
    expect(check.found).toBe('could not be found out: no such call');
  });
  it.each([
    ['20.18.1', 'fatal'],
    ['20.19.0', 'fine'],
    ['22.1.0', 'fine'],
    ['18.20.0', 'fatal'],
  ])('calls Node %s %s', (version, state) => {
    expect(checkNode(version).state).toBe(state);
  });
  it('calls one core a loss and Windows fatal', () => {
    expect(checkCores(1).state).toBe('missing');
    expect(checkPlatform('win32', 'x64').state).toBe('fatal');
    expect(checkPlatform('darwin', 'arm64').state).toBe('missing');
  });
});

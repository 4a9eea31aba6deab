import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { checkCores, checkNode, checkPlatform } from './doctor-checks.ts';
import { runCli } from './testing/cli.ts';

describe('killpoint doctor', () => {
  it('finds a machine that can run the suite fit to run Killpoint', async () => {
    const run = await runCli(tmpdir(), ['doctor', '--json']);
    expect(run.exitCode).toBe(0);
    const { checks } = JSON.parse(run.printed);
    expect(checks.map((check: { name: string }) => check.name)).toEqual([
      'platform',
      'node',
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

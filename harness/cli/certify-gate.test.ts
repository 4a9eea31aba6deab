import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { probeGate } from '../certify/probe-gate.ts';
import { builtInCatalogue } from '../plan/catalogue.ts';
import type { GateEntry } from '../plan/catalogue-entry.ts';
import { named } from '../plan/plan.ts';
import { readResults } from '../results/store.ts';
import { repository, runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();
const fixture = (name: string) => join(repository, 'harness/trial/fixtures', name);
const python = join(repository, 'examples/subject-python/gate.py');
const during = 'during_call:now/none/none/same-again';

const certify = (folder: string, ...argv: readonly string[]) =>
  runCli(folder, ['certify', 'gate', ...argv]);

describe('killpoint certify gate', () => {
  it('clears a sound gate in another language, judge agrees, and the command runs it again', async () => {
    const folder = newFolder();
    const argv = ['--against', 'stripe.keyed', '--only', during, '--', 'python3', python];
    const run = await certify(folder, ...argv);
    expect(run.exitCode, run.noted).toBe(0);
    expect(run.printed).toContain(
      'python-sound against stripe.keyed: 1 of 1 trial hold, 0 condemned',
    );
    expect(run.printed).toContain('No promise was broken.');
    const { command } = await readResults(join(folder, 'certificate-gate'));
    expect(command).toContain(
      'npx killpoint certify gate --against stripe.keyed --seed 1 -- python3',
    );
    const judged = await runCli(folder, ['judge', 'certificate-gate']);
    expect(judged.exitCode).toBe(0);
  });

  it('condemns an unsound one and names the rule', async () => {
    const folder = newFolder();
    const argv = ['--against', 'stripe.keyed', '--only', during];
    const run = await certify(folder, ...argv, '--', 'python3', python, '--unsound');
    expect(run.exitCode).toBe(1);
    expect(run.printed).toContain(
      '1. stable-key: every attempt for a decision carries the same key',
    );
    expect(run.printed).toMatch(
      /see one: npx killpoint certify gate --against stripe\.keyed --seed 1 --only python-unsound\/stripe\.keyed\/during_call:now\/none\/none\/same-again\/1 -- python3/,
    );
  });

  it.each([
    ['no command', ['--against', 'stripe.keyed'], /behind two dashes, got none/],
    [
      'no service',
      ['--', 'true'],
      /expected --against with a service, got none; known: .*stripe\.keyed/,
    ],
    [
      'an unknown service',
      ['--against', 'stripe.nothing', '--', 'true'],
      /unknown target "stripe\.nothing"/,
    ],
    [
      'a program that is not there',
      ['--against', 'stripe.keyed', '--', 'no-such-program'],
      /expected no-such-program to answer "start" with "ready".*check that the program/,
    ],
    [
      'a program that ends at once',
      ['--against', 'stripe.keyed', '--', process.execPath, fixture('dies-at-once.mjs')],
      /answer "start" with "ready".*ended first/,
    ],
    [
      'a wrapper that says it for another',
      ['--against', 'stripe.keyed', '--', process.execPath, fixture('wrong-pid.mjs')],
      /answer "start" with "ready".*pid/,
    ],
    [
      'a cell that is none',
      ['--against', 'stripe.keyed', '--only', 'nowhere', '--', 'python3', python],
      /--only: /,
    ],
  ] as const)('refuses %s in one message', async (_what, argv, message) => {
    const run = await certify(newFolder(), ...argv);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toMatch(message);
  });

  it('says of a subject that never says ready what was expected and what came', async () => {
    const target = named(builtInCatalogue(repository, '.ts').targets, 'stripe.keyed', 'target');
    const gate: GateEntry = {
      name: 'silent',
      about: 'says nothing',
      lacks: [],
      run: { kind: 'command', command: [process.execPath, fixture('never-ready.mjs')] },
    };
    const probed = probeGate({ gate, target, environment: {}, readyMs: 700 });
    await expect(probed).rejects.toThrow(/docs\/subject-protocol\.md.*within 700 ms/);
  });
});

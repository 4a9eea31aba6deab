import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeCatalogue } from '../plan/whole-catalogue.ts';
import { certifyTargetCommand } from './certify-target-command.ts';
import { caughtContext, repository, runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();
const catalogue = wholeCatalogue(repository, '.ts');
/** Enough to exercise what the target declares, and short. */
const fewCells = [
  'before_wal/none/none/same-again',
  'after_wal_before_call/none/none/same-again',
  'during_call:now/none/none/same-again',
  'during_call:now/none/outage-in-window/same-again',
  'during_call:later/none/none/same-again',
  'after_wal_before_call/none/premise-changed/same-again',
  'after_commit_before_ack/none/none/same-again',
];

async function certify(folder: string, target: string) {
  const { context, printed, noted } = caughtContext(folder, { catalogue });
  const exitCode = await certifyTargetCommand(context, {
    target,
    targetExport: 'createTarget',
    railExport: 'createRail',
    options: {},
    railOptions: {},
    trials: 1,
    seed: 1,
    out: 'certificate',
    cells: fewCells,
  });
  return { exitCode, printed: printed.join(''), noted: noted.join('') };
}

describe('killpoint certify target', () => {
  it('proves what is declared and kept; judge agrees, and sees what was changed afterwards', async () => {
    const folder = newFolder();
    const run = await certify(folder, 'stripe.keyed');
    expect(run.exitCode, run.printed).toBe(0);
    expect(run.printed).toMatch(
      /^declared {2}dedupes, in window \(24 h\).*\nproven {4}dedupes, in window/,
    );
    expect(run.noted).toMatch(/\d+ trials, \d+ cells excluded, seed 1; about/);

    const path = join(folder, 'certificate/certificate.json');
    const judged = await runCli(folder, ['judge', 'certificate/certificate.json']);
    expect(judged).toMatchObject({ exitCode: 0 });
    expect(judged.printed).toContain('0 differences');

    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/"verdict":\s*"holds"/, '"verdict":"violated"'),
    );
    const tampered = await runCli(folder, ['judge', 'certificate/certificate.json']);
    expect(tampered.exitCode).toBe(1);
    expect(tampered.printed).toMatch(/verdict: stored "violated", judged now "holds"/);
  }, 120_000);

  it.each([
    ['tier-overstated', 'neither', /the service did the same request under the same key twice/],
    ['window-overstated', 'neither', /window/],
    ['stamp-not-sent', '', /stamp/],
    ['bound-overstated', '', /bound/],
    ['precondition-as-fence', '', /fence/],
  ] as const)(
    'finds the truth about %s, and says it in order',
    async (target, proven, why) => {
      const run = await certify(newFolder(), target);
      expect(run.exitCode, run.printed).toBe(1);
      const [declared, second, third = ''] = run.printed.split('\n');
      expect(declared).toMatch(/^declared {2}/);
      expect(second).toMatch(new RegExp(`^proven {4}${proven}`));
      expect(second?.slice(10)).not.toBe(declared?.slice(10));
      expect(third).toMatch(new RegExp(`^why {7}${target}: `));
      expect(third).toMatch(why);
      expect(run.printed).toMatch(/\ncell {6}reference\/\S+\n {10}\d effect/);
      expect(run.printed).toMatch(
        new RegExp(`\\ncommand {3}npx killpoint certify target ${target} --seed 1 --only `),
      );
    },
    180_000,
  );
});

describe('killpoint certify target --only', () => {
  it('runs one cell, says how to run it again, and writes no certificate', async () => {
    const folder = newFolder();
    const argv = ['certify', 'target', 'tier-overstated', '--only'];
    const run = await runCli(folder, [...argv, 'during_call:now/none/none/same-again'], {
      catalogue,
    });
    expect(run.exitCode, run.noted).toBe(1);
    expect(run.printed).toMatch(
      /npx killpoint certify target tier-overstated --seed 1 --only reference\/tier-overstated\/during_call:now\/none\/none\/same-again\/1/,
    );
    expect(existsSync(join(folder, 'certificate/certificate.json'))).toBe(false);
    expect(existsSync(join(folder, 'certificate/last/chaos.json'))).toBe(true);
  });
});

/** The least of each that is one, for something to be wrong in. */
const target = `
export const createTarget = () => ({
  name: 'mine',
  declaration: { dedupe: null, onceByState: false, guardsPremises: false, lookup: null, absence: 'never', storedErrorFinal: false,
    noReturnMark: false, premises: [], clientTimeoutMs: 200 },
  identify: () => ({ target: 'mine', account: 'a', operation: 'o', subject: 's', keyFields: {} }),
  capture: async () => [], validate: async () => ({ kind: 'hold' }),
  apply: async () => ({ kind: 'landed', entityId: 'e1', stamp: null }),
});`;
const rail = (namespace: string) => `
const request = { amount: 1 };
export const createRail = async () => ({
  name: 'mine',
  openNamespace: async () => ({
    endpoint: { protocol: 'http', host: '127.0.0.1', port: 9 }, credentials: {},
    effects: async () => [],
    examples: () => ({ request, changed: { amount: 2 }, distinct: request, lookAlike: request }),
    ${namespace}
  }),
  close: async () => {},
});`;

describe('what a certifying user can get wrong', () => {
  const wrong: readonly (readonly [string, string, string | null, RegExp])[] = [
    ['no rail', target, null, /expected --rail with the service behind .*docs\/certifying\.md/],
    [
      'a module that throws when it is loaded',
      'throw new Error("not today");',
      rail(''),
      /can't be loaded: .*not today/,
    ],
    [
      'another export',
      'export const createGoal = 1;',
      rail(''),
      /must export a function "createTarget"; it exports: createGoal/,
    ],
    ['no TypeScript', 'export const = ;', rail(''), /can't bundle [\s\S]*mend what it names/],
    [
      'a declaration that contradicts itself',
      target
        .replace("absence: 'never'", 'absence: { landingBoundMs: 5 }')
        .replace('clientTimeoutMs: 200', 'clientTimeoutMs: 0'),
      rail(''),
      /does not agree with itself:[\s\S]*landing bound and declaration\.lookup is null[\s\S]*clientTimeoutMs is 0/,
    ],
    [
      'a lookup without a query',
      target.replace('lookup: null', 'lookup: { lagMs: 1, seesDeletions: true }'),
      rail(''),
      /declaration\.lookup is declared and the target has no query/,
    ],
    [
      'a journal that throws',
      target,
      rail('effects: async () => { throw new Error("locked"); },'),
      /rail\.ts: effects\(\) threw: locked/,
    ],
    [
      'a journal of another shape',
      target,
      rail('effects: async () => [{ id: 1 }],'),
      /effects\(\) is not what it must be:[\s\S]*0\.entityId/,
    ],
    [
      'a rail without examples',
      target,
      rail('examples: undefined,'),
      /the namespace is not what it must be:[\s\S]*examples: expected a function/,
    ],
  ];

  it.each(wrong)('%s is told in one message', async (_what, targetSource, railSource, message) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'target.ts'), targetSource);
    if (railSource !== null) writeFileSync(join(folder, 'rail.ts'), railSource);
    const withRail = railSource === null ? [] : ['--rail', './rail.ts'];
    const run = await runCli(folder, ['certify', 'target', './target.ts', ...withRail]);
    expect(run.noted).toMatch(message);
    expect(run.exitCode).toBe(64);
  });

  it('a file that is not there is told with its name', async () => {
    const run = await runCli(newFolder(), [
      'certify',
      'target',
      './mine.ts',
      '--rail',
      './rail.ts',
    ]);
    expect(run).toMatchObject({ exitCode: 64 });
    expect(run.noted).toMatch(
      /expected the target to be a TypeScript or JavaScript file, got "\.\/mine\.ts"/,
    );
  });

  it('a service that does not show what the harness did is no basis for a certificate', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'target.ts'), target);
    writeFileSync(join(folder, 'rail.ts'), rail(''));
    const run = await runCli(folder, ['certify', 'target', './target.ts', '--rail', './rail.ts']);
    expect(run.exitCode).toBe(2);
    expect(run.noted).toMatch(
      /nothing was shown: the harness made an effect of its own, and it was not read back/,
    );
  });
});

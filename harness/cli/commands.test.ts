import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../plan/catalogue.ts';
import type { Catalogue } from '../plan/catalogue-entry.ts';
import { exitCodeOf } from '../results/exit-code.ts';
import { historyPath } from '../results/history-path.ts';
import { readResults } from '../results/store.ts';
import { repository, runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();

const green = 'reference/stripe.keyed/during_call:now/none/none/same-again/1';
const condemned = 'naive/stripe.keyed/during_call:now/none/none/same-again/1';
const cannotMeet = 'reference/stripe.keyed/before_wal/reply-lost@first-send/none/same-again';

/** The naive gate under another name, claimed to lack nothing: every finding is one too many. */
function catalogueWithImpostor(): Catalogue {
  const catalogue = builtInCatalogue(repository, '.ts');
  const naive = catalogue.gates.find(({ name }) => name === 'naive');
  if (naive === undefined) throw new Error('expected the naive gate in the catalogue');
  return { ...catalogue, gates: [...catalogue.gates, { ...naive, name: 'impostor', lacks: [] }] };
}

describe('killpoint run', () => {
  it('exits 0 when a sound gate holds and one that lacks rules is condemned, and judge agrees', async () => {
    const folder = newFolder();
    const run = await runCli(folder, ['run', green, condemned]);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.printed).toContain('2 planned = 1 holds + 1 violated');
    expect(existsSync(join(folder, 'results/chaos.json'))).toBe(false);
    const judged = await runCli(folder, ['judge', 'results/last']);
    expect(judged).toMatchObject({ exitCode: 0 });
    expect(judged.printed).toContain('2 histories judged again, 0 differences');
    const table = await runCli(folder, ['table', 'results/last']);
    expect(table.exitCode).toBe(1);
    expect(table.printed).toMatch(/H1→H1 +│ H1→H1 +│ 1 +│ as demanded/);
  });

  it('exits 1 for a finding too many, and --last-failed runs just that trial beside the table', async () => {
    const folder = newFolder();
    const catalogue = catalogueWithImpostor();
    const slice = { worlds: ['none'], callers: ['same-again'], faults: ['none'], trialsPerCell: 1 };
    const matrix = {
      name: 'mine',
      title: 'An impostor beside the reference',
      seed: 3,
      slices: [
        {
          ...slice,
          gates: ['reference', 'impostor'],
          targets: ['stripe.keyed'],
          kills: ['during_call:now'],
        },
      ],
      exclusions: [],
      cannotMeet: 0,
    };
    writeFileSync(join(folder, 'mine.json'), JSON.stringify(matrix));
    const run = await runCli(folder, ['run', './mine.json'], { catalogue });
    expect(run.exitCode).toBe(1);
    const id = 'impostor/stripe.keyed/during_call:now/none/none/same-again/1';
    expect(run.printed).toContain(`npx killpoint run ${id} --seed 3`);
    const again = await runCli(folder, ['run', './mine.json', '--last-failed'], { catalogue });
    expect(again.exitCode).toBe(1);
    const before = await readResults(join(folder, 'results/mine'));
    const after = await readResults(join(folder, 'results/mine/last'));
    expect(after.trials.map((trial) => trial.id)).toEqual([id]);
    expect(after.trials[0]?.seed).toBe(before.trials.find((trial) => trial.id === id)?.seed);
  });

  it('exits 2 for nothing but exclusions, and says why the cell cannot be', async () => {
    const run = await runCli(newFolder(), ['run', cannotMeet]);
    expect(run.exitCode).toBe(2);
    expect(run.printed).toContain('so no fault can meet it');
  });

  it('exits 2 when it is interrupted, and lists what did not run', async () => {
    const folder = newFolder();
    const run = await runCli(folder, ['run', green, condemned], {
      onInterrupt: (stop) => {
        stop();
        return () => undefined;
      },
    });
    expect(run.exitCode).toBe(2);
    expect(run.printed).toContain('2 × the run was interrupted');
    const results = await readResults(join(folder, 'results/last'));
    expect(results.finished).toBe(false);
    expect(results.counts).toMatchObject({ planned: 2, notRun: 2 });
  });

  it('exits 70 when a module cannot be loaded, and leaves results that are not green', async () => {
    const folder = newFolder();
    const catalogue = catalogueWithImpostor();
    const gates = catalogue.gates.map((gate) => ({
      ...gate,
      run: { kind: 'module', module: '/nowhere/gate.ts' } as const,
    }));
    const run = await runCli(folder, ['run', green], { catalogue: { ...catalogue, gates } });
    expect(run.exitCode).toBe(70);
    expect(run.noted).toContain('killpoint doctor');
    expect(run.noted).not.toMatch(/\n\s+at /);
    expect(exitCodeOf(await readResults(join(folder, 'results/last')))).toBe(2);
  });

  it('repeats the schedule of a trial by its id and seed', async () => {
    const folder = newFolder();
    const specs = [];
    for (const out of ['first', 'second']) {
      await runCli(folder, ['run', green, '--seed', '77', '--out', out]);
      const [header = ''] = readFileSync(historyPath(join(folder, out), green), 'utf8').split('\n');
      const { spec } = JSON.parse(header).header;
      specs.push({ seed: spec.seed, draws: spec.draws });
    }
    expect(specs[1]).toEqual(specs[0]);
  });
});

describe('killpoint judge', () => {
  it('exits 1 and names a changed, a missing and an unlisted history', async () => {
    const folder = newFolder();
    await runCli(folder, ['run', green, condemned, '--out', 'r']);
    const at = (id: string) => historyPath(join(folder, 'r'), id);
    writeFileSync(at('a/stranger'), '{}\n');
    appendFileSync(at(green), '{}\n');
    rmSync(at(condemned));
    const judged = await runCli(folder, ['judge', 'r']);
    expect(judged.exitCode).toBe(1);
    expect(judged.printed).toContain(`history-changed  ${green}`);
    expect(judged.printed).toContain('verdict: stored "holds", judged now "inconclusive"');
    expect(judged.printed).toContain(`history-missing  ${condemned}`);
    expect(judged.printed).toContain('history-unlisted  a__stranger.jsonl');
  });
});

describe('killpoint list', () => {
  it('counts trials and groups the reasons of what is excluded, as JSON for programs', async () => {
    const run = await runCli(newFolder(), ['list', '--json', '--workers', '2']);
    expect(run.exitCode).toBe(0);
    const summary = JSON.parse(run.printed);
    expect(summary).toMatchObject({ trials: 426, excluded: 218, estimate: { basis: 'assumed' } });
    const cells = summary.reasons.map((reason: { cells: number }) => reason.cells);
    expect(cells.reduce((sum: number, count: number) => sum + count, 0)).toBe(218);
  });
  it('prints ids that run takes', async () => {
    const run = await runCli(newFolder(), ['list', 'smoke', '--ids', '--trials', '2']);
    const ids = run.printed.trim().split('\n');
    expect(ids).toHaveLength(50);
    expect(ids[1]).toBe('reference/stripe.keyed/before_wal/none/none/same-again/2');
  });
  it('exits 2 for nothing but exclusions', async () => {
    expect((await runCli(newFolder(), ['list', cannotMeet])).exitCode).toBe(2);
  });
});

describe('wrong usage exits 64 and says what was expected', () => {
  it.each([
    [['run', '--trials', '0'], 'Expected a whole number from 1 to 10000'],
    [['run', '--trials', '-1'], 'Expected a whole number'],
    [['run', '--trials', '1.5'], 'Expected a whole number'],
    [['run', '--workers', 'abc'], 'Expected a whole number from 1 to 256'],
    [['run', '--seed', '99999999999999999999'], 'Expected a whole number from 0 to 4294967295'],
    [['run', '--out', ''], 'Expected the name of a folder'],
    [['list', '--out', ' '], 'Expected the name of a folder'],
    [['run', '--wrokers', '2'], 'Did you mean --workers?'],
    [['rnu'], 'Did you mean run?'],
    [['run', 'smok'], 'did you mean smoke?'],
    [['run', 'smoke', 'default'], 'expected one matrix or any number of ids'],
    [['run', 'a/b'], 'expected gate/target/kill/fault/world/caller'],
    [['run', green.replace('reference', 'refrence')], 'did you mean reference?'],
    [['run', green.replace('call:now', 'call:nwo')], 'did you mean during_call:now?'],
    [['run', green, '--last-failed'], 'ids beside it'],
    [['run', '--last-failed'], 'expected results at'],
    [['run', 'smoke', '--out', '/dev/null/x'], 'choose another with --out'],
    [['run', 'none.json'], 'none.json'],
    [['judge'], "missing required argument 'path'"],
    [['judge', 'nowhere'], 'nowhere/chaos.json'],
    [['table', 'nowhere'], 'nowhere/chaos.json'],
  ])('%j', async (argv, expected) => {
    const run = await runCli(newFolder(), argv);
    expect(run.noted).toContain(expected);
    expect(run.exitCode).toBe(64);
  });
});

describe('help and version', () => {
  it.each(['run', 'list', 'merge', 'judge', 'table', 'doctor'])(
    'of %s shows an example',
    async (name) => {
      const run = await runCli(newFolder(), [name, '--help']);
      expect(run.exitCode).toBe(0);
      expect(run.printed).toContain(`killpoint ${name}`);
      expect(run.printed).toContain('Examples:');
    },
  );
  it('say the version', async () => {
    expect(await runCli(newFolder(), ['--version'])).toMatchObject({
      exitCode: 0,
      printed: '0.0.0\n',
    });
  });
});

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readResults } from '../results/store.ts';
import { repository, runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();

describe('a matrix of the user’s', () => {
  const matrix = {
    name: 'mine',
    title: 'One cell',
    seed: 3,
    slices: [
      {
        gates: ['reference'],
        targets: ['stripe.keyed'],
        kills: ['before_wal', 'after_wal_before_call+owned+before-resend'],
        faults: ['none'],
        worlds: ['none'],
        callers: ['same-again'],
        trialsPerCell: 1,
      },
    ],
    exclusions: [],
    cannotMeet: 0,
  };
  const [slice] = matrix.slices;
  function folderWith(changes: Record<string, unknown>): string {
    const folder = newFolder();
    writeFileSync(join(folder, 'mine.json'), JSON.stringify({ ...matrix, ...changes }));
    return folder;
  }

  it.each(['default', 'smoke', 'last', 'histories'])(
    'called %s is refused, since that folder is another’s, unless a folder is named',
    async (name) => {
      const folder = folderWith({ name });
      const run = await runCli(folder, ['run', './mine.json']);
      expect(run.exitCode).toBe(64);
      expect(run.noted).toMatch(new RegExp(`got "${name}".*--out, or change the name`));
      expect(existsSync(join(folder, 'results'))).toBe(false);
      expect((await runCli(folder, ['list', './mine.json', '--out', 'r'])).exitCode).toBe(0);
    },
  );
  it('is the package’s own when it is given by its path', async () => {
    const path = join(repository, 'matrices/smoke.json');
    expect((await runCli(newFolder(), ['list', path])).exitCode).toBe(0);
  });
  it.each([
    [{ kills: ['before_val'] }, 'unknown kill point "before_val"', 'kills[0]', 'before_wal'],
    [{ kills: ['before_wal+ownd'] }, 'unknown recovery point "ownd"', 'kills[0]', 'owned'],
    [{ faults: ['nome'] }, 'unknown fault "nome"', 'faults[0]', 'none'],
    [
      { worlds: ['long-outrage'] },
      'unknown world event "long-outrage"',
      'worlds[0]',
      'long-outage',
    ],
    [{ callers: ['strom'] }, 'unknown caller behaviour "strom"', 'callers[0]', 'storm'],
    [{ gates: ['refrence'] }, 'unknown gate "refrence"', 'gates[0]', 'reference'],
    [{ targets: ['stripe.key'] }, 'unknown target "stripe.key"', 'targets[0]', 'stripe.keyed'],
  ])(
    'with %j is refused with what came, where, and a suggestion',
    async (changes, what, where, near) => {
      const run = await runCli(folderWith({ slices: [{ ...slice, ...changes }] }), [
        'list',
        './mine.json',
      ]);
      expect(run.exitCode).toBe(64);
      expect(run.noted).toContain(what);
      expect(run.noted).toContain(`slices[0].${where}`);
      expect(run.noted).toContain(`(did you mean ${near}?)`);
      expect(run.noted).toContain('; known: ');
    },
  );
  it('may kill recovery too, and list and run take the ids that come of it', async () => {
    const folder = folderWith({});
    const ids = (await runCli(folder, ['list', './mine.json', '--ids'])).printed.trim().split('\n');
    const id =
      'reference/stripe.keyed/after_wal_before_call+owned+before-resend/none/none/same-again/1';
    expect(ids[1]).toBe(id);
    const listed = JSON.parse((await runCli(folder, ['list', id, '--json'])).printed);
    expect(listed.rows).toEqual([
      {
        gate: 'reference',
        target: 'stripe.keyed',
        kill: 'after_wal_before_call+owned+before-resend',
        trials: 1,
        excluded: 0,
      },
    ]);
  });
  it('that was broken off is taken up by --last-failed, kills of recovery included', async () => {
    const folder = folderWith({});
    const onInterrupt = (stop: () => void) => {
      stop();
      return () => undefined;
    };
    await runCli(folder, ['run', './mine.json'], { onInterrupt });
    const again = await runCli(folder, ['run', './mine.json', '--last-failed']);
    expect(again).toMatchObject({ exitCode: 0 });
    const { trials } = await readResults(join(folder, 'results/mine/last'));
    expect(trials.map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
  });
});

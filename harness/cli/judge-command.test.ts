import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../model/results.ts';
import { countRecords } from '../results/counts.ts';
import { historyPath } from '../results/history-path.ts';
import { runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';

const newFolder = temporaryFolders();

const green = 'reference/stripe.keyed/during_call:now/none/none/same-again/1';
const condemned = 'naive/stripe.keyed/during_call:now/none/none/same-again/1';
const cannotMeet = 'reference/stripe.keyed/before_wal/reply-lost@first-send/none/same-again';

describe('killpoint judge, shown results that were tampered with', () => {
  let origin: string;
  beforeAll(async () => {
    origin = newFolder();
    await runCli(origin, ['run', green, condemned, cannotMeet, '--out', 'r']);
  }, 60_000);

  /** A copy of the folder, changed; what judge then says. */
  async function judgeChanged(change: (folder: string, results: Results) => void) {
    const folder = newFolder();
    cpSync(join(origin, 'r'), join(folder, 'r'), { recursive: true });
    const path = join(folder, 'r/chaos.json');
    const results = JSON.parse(readFileSync(path, 'utf8')) as Results;
    change(join(folder, 'r'), results);
    results.counts = countRecords(results.trials);
    writeFileSync(path, JSON.stringify(results));
    return await runCli(folder, ['judge', 'r']);
  }

  it('finds nothing in an untouched copy, excluded cells included', async () => {
    const judged = await judgeChanged(() => undefined);
    expect(judged).toMatchObject({ exitCode: 0 });
  });
  it('exits 1 for a violated trial that is called excluded', async () => {
    const judged = await judgeChanged((_, results) => {
      const excluded = results.trials.find(({ verdict }) => verdict === 'excluded');
      results.trials = results.trials.map((record) =>
        record.id === condemned && excluded !== undefined ? { ...excluded, id: record.id } : record,
      );
    });
    expect(judged.exitCode).toBe(1);
    expect(judged.printed).toContain(`ran-after-all  ${condemned}`);
    expect(judged.printed).toContain(`excluded-wrongly  ${condemned}`);
    expect(judged.printed).toContain('trials-differ  the whole run');
  });
  it('exits 1 for a record that is gone with its history and its count', async () => {
    const judged = await judgeChanged((folder, results) => {
      results.trials = results.trials.filter(({ id }) => id !== condemned);
      rmSync(historyPath(folder, condemned));
    });
    expect(judged.exitCode).toBe(1);
    expect(judged.printed).toContain('trials-differ  the whole run');
  });
  it('exits 1 for a seed that is not of the run', async () => {
    const judged = await judgeChanged((_, results) => {
      results.seed += 1;
    });
    expect(judged.exitCode).toBe(1);
    expect(judged.printed).toContain('and the id give');
  });
  it('exits 1 for a gate that is said to lack other rules', async () => {
    const judged = await judgeChanged((_, results) => {
      for (const gate of results.gates) gate.lacks = [];
    });
    expect(judged.exitCode).toBe(1);
    expect(judged.printed).toContain(`subject-differs  ${condemned}`);
  });
  it('exits 1 and names a history that is a folder', async () => {
    const judged = await judgeChanged((folder) => {
      rmSync(historyPath(folder, green));
      mkdirSync(historyPath(folder, green));
    });
    expect(judged.exitCode).toBe(1);
    expect(judged.printed).toContain(`history-unreadable  ${green}`);
  });
  it('exits 1 and names a histories folder that is a file', async () => {
    const judged = await judgeChanged((folder) => {
      rmSync(join(folder, 'histories'), { recursive: true });
      writeFileSync(join(folder, 'histories'), '');
    });
    expect(judged.exitCode).toBe(1);
    expect(judged.printed).toContain('histories-unreadable  the whole run');
  });
  it('exits 64 for an id that says nothing', async () => {
    const judged = await judgeChanged((_, results) => {
      for (const record of results.trials) record.id = 'nonsense';
    });
    expect(judged.exitCode).toBe(64);
    expect(judged.noted).toContain('trials[0].id');
  });
});

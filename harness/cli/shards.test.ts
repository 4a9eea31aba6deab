/** A small matrix in three shards, merged, judged, and compared with the same in one piece. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Results, TrialRecord } from '../model/results.ts';
import { shardOf } from '../plan/shard.ts';
import { historyPath } from '../results/history-path.ts';
import { readResults } from '../results/store.ts';
import { selectPlan } from './select-plan.ts';
import { caughtContext, runCli } from './testing/cli.ts';
import { temporaryFolders } from './testing/folders.ts';
import { withShare } from './with-share.ts';

const newFolder = temporaryFolders();

const slice = {
  gates: ['reference', 'naive'],
  targets: ['stripe.keyed'],
  kills: ['before_wal', 'during_call:now', 'after_commit_before_ack'],
  faults: ['none'],
  worlds: ['none'],
  callers: ['same-again'],
  trialsPerCell: 1,
};
const matrix = {
  name: 'mine',
  title: 'A small matrix',
  seed: 11,
  slices: [slice, { ...slice, gates: ['reference'], faults: ['reply-lost@first-send'] }],
  exclusions: [],
  cannotMeet: 2,
};
const violated = 'naive/stripe.keyed/during_call:now/none/none/same-again/1';
const folders = ['s1', 's2', 's3'];

let origin: string;
beforeAll(async () => {
  origin = newFolder();
  writeFileSync(join(origin, 'mine.json'), JSON.stringify(matrix));
  for (const [place, folder] of folders.entries()) {
    const shard = `${place + 1}/3`;
    const run = await runCli(origin, ['run', './mine.json', '--shard', shard, '--out', folder]);
    expect(run).toMatchObject({ exitCode: 0 });
  }
}, 60_000);

/** The shards, each in a copy that the test may change. */
function copies(): string {
  const folder = newFolder();
  cpSync(origin, folder, { recursive: true });
  return folder;
}

/**
 * Everything that two runs of one plan with one seed have in common. How often a gate tries is not: on a
 * busy machine a caller runs into its timeout, and the naive gate makes an effect more.
 */
function lasting(results: Results) {
  const { startedAt: _, durationMs: __, memory: ___, trials, ...rest } = results;
  return {
    ...rest,
    trials: trials.map((record) => ({
      id: record.id,
      seed: record.seed,
      verdict: record.verdict,
      meetsExpectation: record.meetsExpectation,
      expectedFindings: record.expectedFindings,
      found: [...new Set(record.findings.map(({ finding }) => finding))],
      demanded: [record.demandedO1, record.demandedO2],
      ended: record.verdict === 'holds' ? endOf(record.o2) : null,
      reason: record.reason,
    })),
  };
}

function endOf(observation: TrialRecord['o2']) {
  return [observation?.outcome?.outcome, observation?.effects, observation?.byOthers];
}

/** Headings, commands and counts. */
function frameOf(markdown: string): readonly string[] {
  return markdown
    .split('\n')
    .filter((line) => /^#|^npx|^[A-Z].*Killpoint|^\| (\w+ \| stripe\.keyed \| )?\d/.test(line));
}

describe('a matrix in three shards', () => {
  it('merged is the whole run, and judge finds no difference', async () => {
    const folder = copies();
    const merged = await runCli(folder, ['merge', 's3', 's1', 's2', '--out', 'm']);
    expect(merged).toMatchObject({ exitCode: 0 });
    expect(merged.printed).toContain('Every trial meets its expectation.');
    const judged = await runCli(folder, ['judge', 'm']);
    expect(judged).toMatchObject({ exitCode: 0 });
    expect(judged.printed).toMatch(/7 histories judged again, 0 differences\n9 planned = /);

    await runCli(folder, ['run', './mine.json', '--out', 'whole']);
    const whole = await readResults(join(folder, 'whole'));
    expect(lasting(await readResults(join(folder, 'm')))).toEqual(lasting(whole));
    const histories = (name: string) => readdirSync(join(folder, name, 'histories')).sort();
    expect(histories('m')).toEqual(histories('whole'));
    const frame = (name: string) => frameOf(readFileSync(join(folder, name, 'chaos.md'), 'utf8'));
    expect(frame('m')).toEqual(frame('whole'));
    expect(frame('m').length).toBeGreaterThan(8);
  });
  it('says in each which of how many, and judge agrees with each', async () => {
    for (const [place, name] of folders.entries()) {
      const { plan, counts } = await readResults(join(origin, name));
      expect(plan.shard).toMatchObject({ index: place + 1, count: 3 });
      expect(counts.planned).toBeGreaterThan(1);
      expect((await runCli(origin, ['judge', name])).exitCode).toBe(0);
    }
  });
  it('goes below the usual folder where none is named, and list shows what it would be', async () => {
    const folder = copies();
    const run = await runCli(folder, ['run', './mine.json', '--shard', '1/7']);
    expect(run).toMatchObject({ exitCode: 0 });
    const { trials } = await readResults(join(folder, 'results/mine/shard-1-of-7'));
    const listed = await runCli(folder, ['list', './mine.json', '--shard', '1/7', '--ids']);
    const ran = trials.filter(({ verdict }) => verdict !== 'excluded').map(({ id }) => id);
    expect(listed.printed.trim().split('\n')).toEqual(ran);
    expect(existsSync(join(folder, 'results/mine/chaos.json'))).toBe(false);
  });
});

describe('killpoint merge refuses, and writes nothing', () => {
  it.each<[string, (folder: string) => void, RegExp]>([
    [
      'a history that was changed',
      (folder) => appendFileSync(historyIn(folder, violated), '{}\n'),
      /shard in s\d is not as it was written: expected a history of naive.* SHA-256/,
    ],
    [
      'a history that is gone',
      (folder) => rmSync(historyIn(folder, violated)),
      /expected the history of naive.*, got none that can be read; bring the whole folder/,
    ],
    [
      'a history that no record lists',
      (folder) => writeFileSync(historyPath(join(folder, 's2'), 'a/stranger'), ''),
      /shard in s2 .* got a__stranger\.jsonl/,
    ],
    [
      'a shard of another seed',
      (folder) => {
        const path = join(folder, 's2/chaos.json');
        writeFileSync(path, readFileSync(path, 'utf8').replace('"seed": 11', '"seed": 12'));
      },
      /differ in the seed: 11 in s1, 12 in s2/,
    ],
    [
      'a shard that is still being written',
      (folder) => writeFileSync(join(folder, 's2/run.lock'), '{}'),
      /expected the run in s2 to have ended, got a run\.lock/,
    ],
  ])('%s', async (_, change, message) => {
    const folder = copies();
    change(folder);
    const merged = await runCli(folder, ['merge', ...folders, '--out', 'm']);
    expect(merged.exitCode).toBe(64);
    expect(merged.noted).toMatch(message);
    expect(existsSync(join(folder, 'm'))).toBe(false);
  });
  it.each([
    [['s1', 's3'], /got 2; missing: 2\/3/],
    [['s1', 's2', 's3', 's2'], /got 2\/3 in s2 and in s2/],
    [['s1', 's2', 'nowhere'], /expected results at .*nowhere/],
  ])('%j', async (named, message) => {
    const merged = await runCli(origin, ['merge', ...named, '--out', 'm']);
    expect(merged.exitCode).toBe(64);
    expect(merged.noted).toMatch(message);
  });
  it('to write into a shard', async () => {
    const merged = await runCli(origin, ['merge', ...folders, '--out', './s1']);
    expect(merged.exitCode).toBe(64);
    expect(merged.noted).toContain('none of the shards');
    expect((await runCli(origin, ['judge', 's1'])).exitCode).toBe(0);
  });
});

describe('a shard', () => {
  it.each(['0/3', '4/3', '3', '1/0', '01/3', '1/3/5', '-1/3', 'a/b'])(
    'called %s is wrong usage, with an example',
    async (shard) => {
      const run = await runCli(origin, ['run', 'smoke', '--shard', shard]);
      expect(run.exitCode).toBe(64);
      expect(run.noted).toContain('like 2/3: the second of three shards');
    },
  );
  it.each([
    [['run', 'smoke', '--shard', '1/26'], 'deal it into 25 at most'],
    [['run', 'smoke', '--shard', '1/3', '--last-failed'], 'got both'],
    [['run', 'smoke', '--shard', '1/3', '--out', 'results'], 'tables of whole plans stand'],
    [['run', 'smoke', '--shard', '1/3', '--out', 'results/smoke'], 'tables of whole plans stand'],
    [['table', 's1'], 'put them together first: npx killpoint merge'],
    [['compare', 's1'], 'put them together first: npx killpoint merge'],
  ])('%j is refused with the reason', async (argv, message) => {
    const run = await runCli(origin, argv);
    expect(run.exitCode).toBe(64);
    expect(run.noted).toContain(message);
    expect(existsSync(join(origin, 'results'))).toBe(false);
  });
});

describe('the share of the full plan', () => {
  const request = { lastFailed: false };

  it('of the default matrix is all that it plans, out of what full expands to', async () => {
    const { context } = caughtContext(newFolder());
    const selected = await selectPlan({ ...request, names: [] }, context);
    const full = await selectPlan({ ...request, names: ['full'] }, context);
    const of = full.plan.trials.length;
    const trials = selected.plan.trials.length;
    const { share } = await withShare(context, selected);
    expect(share).toEqual({ matrix: 'full', trials, of });
    const plan = shardOf(selected.plan, { index: 1, count: 3 });
    const part = await withShare(context, { ...selected, plan });
    expect(part.share).toEqual({ matrix: 'full', trials: plan.trials.length, of });
    expect(await withShare(context, full)).toBe(full);
  }, 60_000);
  it('is not asked of what the full matrix does not include', async () => {
    const { context } = caughtContext(newFolder());
    const smoke = await selectPlan({ ...request, names: ['smoke'] }, context);
    expect(await withShare(context, smoke)).toBe(smoke);
  });
});

function historyIn(folder: string, id: string): string {
  const found = folders
    .map((name) => historyPath(join(folder, name), id))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`expected the history of ${id} in one of the shards`);
  return found;
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseHistory } from '../model/parse-history.ts';
import { historyPath } from '../results/history-path.ts';
import {
  commandGate,
  moduleGate,
  removeTemporaryFolders,
  root,
  runCells,
  source,
  temporaryFolder,
} from './testing/run-cells.ts';

afterEach(removeTemporaryFolders);

const fixture = (name: string) => `${root}/harness/trial/fixtures/${name}`;
const quick = { readyMs: 4_000, answerMs: 600 };
const cell = (gate: string, kill = 'before_wal', caller = 'same-again') =>
  `${gate}/stripe.keyed/${kill}/none/none/${caller}`;
const only = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined || items.length !== 1)
    throw new Error(`expected one, got ${items.length}`);
  return item;
};
const names = (record: { findings: readonly { finding: string }[] }) =>
  record.findings.map((finding) => finding.finding);

describe('a run', () => {
  it('holds for the reference gate at every kill point, and says what was claimed and found', async () => {
    const ids = ['before_wal', 'during_call:now', 'during_call:later', 'after_call_before_commit'];
    const { records } = await runCells(ids.map((kill) => cell('reference', kill)));
    expect(
      records.map((record) => [record.verdict, record.demandedO1, record.o1?.effects]),
    ).toEqual([
      ['holds', 'A0', 0],
      ['holds', 'H1', 1],
      ['holds', 'H1', 1],
      ['holds', 'H1', 1],
    ]);
  });

  it('condemns a gate that reruns its work under a fresh key after the same crash', async () => {
    const record = only((await runCells([cell('naive', 'during_call:now')])).records);
    expect(record.verdict).toBe('violated');
    expect(names(record)).toContain('two-effects');
    expect(record.o2?.effects).toBe(2);
    expect(record.meetsExpectation).toBe(true);
  });

  it('makes the same history again from the same id and seed, but for times, ports and pids', async () => {
    const id = cell('reference', 'during_call:never', 'storm');
    const drawn = async () => {
      const run = await runCells([id]);
      const { spec } = parseHistory(run.historyOf(only(run.records)));
      return { seed: spec.seed, draws: spec.draws };
    };
    expect(await drawn()).toEqual(await drawn());
  });

  it('has the spec on disk before it starts anything', async () => {
    const outDir = temporaryFolder();
    const seen = join(outDir, 'seen');
    // A subject whose first act is to copy what already stands in its own trial's history.
    const script = `const fs = require('node:fs');
      const history = ${JSON.stringify(historyPath(outDir, `${cell('looks')}/1`))};
      fs.writeFileSync(${JSON.stringify(seen)}, fs.readFileSync(history));`;
    const gates = [commandGate('looks', [process.execPath, '-e', script])];
    await runCells([cell('looks')], { gates, bounds: quick, outDir });
    const [header = '', ...events] = readFileSync(seen, 'utf8').trim().split('\n');
    expect(JSON.parse(header).header.spec.id).toBe(`${cell('looks')}/1`);
    expect(events.join()).not.toContain('"exited"');
  });

  it('proves nothing when the journal loses the effect the harness made itself', async () => {
    const targets = source.targets
      .filter(({ name }) => name === 'stripe.keyed')
      .map((target) => ({
        ...target,
        rail: { ...target.rail, module: fixture('forgetful-rail.ts') },
      }));
    const record = only((await runCells([cell('reference')], { targets })).records);
    expect(record.verdict).toBe('inconclusive');
    expect(names(record)).toContain('control-missed');
  });

  it('proves nothing when bytes were on the wire before the call was to begin', async () => {
    const gates = [moduleGate('sends-early', fixture('sends-early.ts'))];
    const record = only(
      (await runCells([cell('sends-early', 'after_wal_before_call')], { gates })).records,
    );
    expect(record.verdict).toBe('inconclusive');
    expect(names(record)).toContain('kill-missed');
  });

  it.each([
    ['first', 'after_wal_before_call', 'before_wal, attempt 0, occurrence 1'],
    ['second-time', 'after_wal_before_call', 'after_wal_before_call, attempt 1, occurrence 2'],
    ['recovery', 'after_wal_before_call+owned', 'recovery:before-settle, attempt 1, occurrence 1'],
  ])(
    'proves nothing when another point than the armed one is announced: %s',
    async (how, kill, came) => {
      const command = [process.execPath, fixture('announces-elsewhere.mjs'), how];
      const gates = [commandGate('announces-elsewhere', command)];
      const run = await runCells([cell('announces-elsewhere', kill)], { gates, bounds: quick });
      const record = only(run.records);
      expect(record.verdict).toBe('inconclusive');
      expect(names(record)).toContain('kill-missed');
      const told = record.findings.map(({ message }) => message).join('; ');
      expect(told).toContain('point-not-reached');
      expect(told).toContain(`it announced ${came}; let it`);
    },
  );

  it('holds for a gate that speaks nonsense and floods its output, with a note of both', async () => {
    const gates = [moduleGate('chatters', fixture('chatters.ts'))];
    const record = only((await runCells([cell('chatters')], { gates })).records);
    expect(record.findings).toEqual([]);
    expect(record.verdict).toBe('holds');
    expect(record.notes).toEqual([
      'the subject flooded 3 times: stdout: more than 1 MiB; the rest is thrown away',
      'the subject spoke nonsense 3 times',
    ]);
  });

  it('takes a hang after a proven kill for a broken promise', async () => {
    const gates = [moduleGate('hangs', fixture('hangs-in-recovery.ts'))];
    const record = only((await runCells([cell('hangs')], { gates, bounds: quick })).records);
    expect(record.verdict).toBe('violated');
    expect(names(record)).toContain('unknown-after-recovery');
  });

  it.each([
    ['no-such-program', ['/no/such/program'], 'subject-not-started'],
    ['never-ready', [process.execPath, fixture('never-ready.mjs')], 'subject-not-ready'],
    ['dies-at-once', [process.execPath, fixture('dies-at-once.mjs')], 'subject-died'],
    ['wrong-pid', [process.execPath, fixture('wrong-pid.mjs')], 'subject'],
    ['speaks-nonsense', [process.execPath, fixture('speaks-nonsense.mjs')], 'subject'],
    ['floods-channel', [process.execPath, fixture('floods-channel.mjs')], 'subject'],
  ])('proves nothing about a subject that is %s, and says so', async (name, command, code) => {
    const run = await runCells([cell(name)], {
      gates: [commandGate(name, command)],
      bounds: { readyMs: 1_500, answerMs: 600 },
    });
    const record = only(run.records);
    expect(record.verdict).toBe('inconclusive');
    expect(run.historyOf(record)).toContain('"harness-error"');
    expect(run.historyOf(record)).toContain(code);
    expect(record.meetsExpectation).toBe(false);
  });

  it('reports what did not run when it is interrupted, and leaves no half history', async () => {
    const stop = new AbortController();
    const run = await runCells(
      [1, 2, 3, 4, 5, 6].map((trial) => `${cell('reference')}/${trial}`),
      {
        signal: stop.signal,
        onTrial: () => stop.abort(),
      },
    );
    const notRun = run.records.filter((record) => record.verdict === 'not-run');
    expect(run.records).toHaveLength(6);
    expect(notRun.length).toBeGreaterThan(0);
    expect(notRun.every((record) => record.reason === 'the run was interrupted')).toBe(true);
    for (const record of notRun) expect(() => run.historyOf(record)).toThrow();
  });

  it('stops at the first unmet trial when asked to', async () => {
    const gates = [commandGate('gone', ['/no/such/program'])];
    const run = await runCells(
      [1, 2, 3, 4, 5, 6].map((trial) => `${cell('gone')}/${trial}`),
      { gates, bail: true },
    );
    expect(
      run.records.filter((record) => record.verdict === 'inconclusive').length,
    ).toBeLessThanOrEqual(2);
    expect(
      run.records.filter((record) => record.verdict === 'not-run').length,
    ).toBeGreaterThanOrEqual(4);
  });

  it('keeps credentials out of everything it writes', async () => {
    const run = await runCells([cell('reference', 'during_call:now')]);
    const record = only(run.records);
    expect(run.historyOf(record)).not.toMatch(/sk_test_|rk_test_/);
    expect(existsSync(run.outDir)).toBe(true);
    for (const name of readdirSync(run.outDir, { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.jsonl'))
        expect(readFileSync(join(run.outDir, name), 'utf8')).not.toMatch(/[sr]k_(test|live)_/);
    }
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { isLive, readProcess } from '../kills/process-table.ts';
import { formatReachedPair } from '../reports/reached.ts';
import { historyPath } from '../results/history-path.ts';
import {
  moduleGate,
  removeTemporaryFolders,
  root,
  runCells,
  temporaryFolder,
} from './testing/run-cells.ts';

afterEach(removeTemporaryFolders);

const longMs = 60_000;
const pausePoints = [
  'before_wal',
  'after_wal_before_call',
  'after_call_before_commit',
  'after_commit_before_ack',
];

function ids(
  gate: string,
  target: string,
  kills: readonly string[],
  trials: readonly number[],
): readonly string[] {
  return kills.flatMap((kill) =>
    trials.map((trial) => `${gate}/${target}/${kill}/none/none/same-again/${trial}`),
  );
}

const only = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined || items.length !== 1)
    throw new Error(`expected one, got ${items.length}`);
  return item;
};

const paused = pausePoints.map((point) => `${point}+paused`);

describe('a first incarnation that is only paused', () => {
  it.each(['stripe.keyed', 'stripe.blind', 'stripe.lookup'])(
    'of the reference gate at %s: who comes second sends nothing, and there is one effect',
    async (target) => {
      const { records, historyOf } = await runCells(ids('reference', target, paused, [1]));
      expect(records.filter(({ verdict }) => verdict !== 'holds')).toEqual([]);
      expect(records.flatMap(({ notes }) => notes)).toEqual([]);
      expect(new Set(records.map(formatReachedPair))).toEqual(
        new Set(['A0→H1', 'W0→H1', 'W1→H1', 'H1→H1']),
      );
      for (const record of records) {
        expect(senders(historyOf(record))).toEqual([1]);
        expect(record.o2?.effects).toBe(1);
      }
    },
    longMs,
  );

  it(
    'is sent a second time by a gate that owns by timeout',
    async () => {
      const unsent = ids(
        'owner-by-timeout',
        'stripe.lookup',
        ['after_wal_before_call+paused'],
        [1, 2],
      );
      const { records } = await runCells(unsent);
      for (const record of records) {
        expect(record.findings.map(({ finding }) => finding)).toContain('two-effects');
        expect(record.o2?.effects).toBe(2);
      }
      expect(records.map(({ meetsExpectation }) => meetsExpectation)).toEqual([true, true]);
    },
    longMs,
  );

  it(
    'shows of such a gate what is derived, wherever it is paused',
    async () => {
      const targets = ['stripe.keyed', 'stripe.blind', 'stripe.lookup', 'stripe.unbounded'];
      const cells = targets.flatMap((target) => ids('owner-by-timeout', target, paused, [3]));
      const { records } = await runCells(cells);
      expect(
        records
          .filter(({ meetsExpectation }) => meetsExpectation !== true)
          .map(({ id, findings, expectedFindings }) => ({ id, findings, expectedFindings })),
      ).toEqual([]);
    },
    longMs,
  );
});

describe('a recovery that is met by another', () => {
  const kills = ['after_wal_before_call', 'during_call:now'];
  it.each([
    ['stripe.keyed', ['owned', 'before-resend', 'before-settle']],
    ['stripe.lookup', ['owned', 'before-lookup', 'after-lookup', 'before-settle']],
    ['ledgered.fence', ['owned', 'before-lookup', 'after-lookup', 'before-settle']],
  ])(
    'ends at %s where it would have ended alone',
    async (target, points) => {
      const met = kills.flatMap((kill) => points.map((point) => `${kill}+rival@${point}`));
      const { records, historyOf } = await runCells(ids('reference', target, met, [1]));
      expect(records.filter(({ verdict }) => verdict !== 'holds')).toEqual([]);
      expect(records.flatMap(({ notes }) => notes)).toEqual([]);
      for (const record of records) expect(senders(historyOf(record))).not.toContain(3);
    },
    longMs,
  );
});

describe('a trial that could not go on', () => {
  const [cell = ''] = ids('starts-once', 'stripe.keyed', ['after_wal_before_call+paused'], [1]);
  const gates = [moduleGate('starts-once', `${root}/harness/trial/fixtures/starts-once.ts`)];

  it('leaves nothing running or stopped of a paused process, and proves nothing', async () => {
    const run = await runCells([cell], { gates });
    const record = only(run.records);
    expect(run.historyOf(record)).toContain('"harness-error"');
    expect(record.verdict).toBe('inconclusive');
    expect(record.findings.map(({ finding }) => finding)).toContain('kill-missed');
    expect(pidsOf(run.historyOf(record)).filter(isRunning)).toEqual([]);
  });

  it('ends with its paused process when the run is interrupted', async () => {
    const outDir = temporaryFolder();
    const stop = new AbortController();
    const id = only(ids('reference', 'stripe.blind', ['before_wal+paused'], [1]));
    let seen = '';
    const watch = setInterval(() => {
      const path = historyPath(outDir, id);
      seen = existsSync(path) ? readFileSync(path, 'utf8') : '';
      if (seen.includes('"type":"paused"')) stop.abort();
    }, 5);
    const run = await runCells([id], { outDir, signal: stop.signal });
    clearInterval(watch);
    expect(only(run.records).verdict).toBe('not-run');
    expect(pidsOf(seen).filter(isRunning)).toEqual([]);
  });
});

/** The incarnations of which the wire saw a mutating request. */
function senders(history: string): readonly number[] {
  const events = history
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  const mutating = events.filter((event) => event?.type === 'request-whole' && event.mutating);
  return [...new Set<number>(mutating.map((event) => event.incarnation))].sort();
}

function pidsOf(history: string): readonly number[] {
  return [...history.matchAll(/"type":"spawned","incarnation":\d+,"pid":(\d+)/g)].map(([, pid]) =>
    Number(pid),
  );
}

function isRunning(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== null && isLive(entry);
}

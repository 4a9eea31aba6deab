import { afterEach, describe, expect, it } from 'vitest';
import {
  allKillPoints,
  announcedPointOf,
  killPointFacts,
  type WireKillPoint,
  wireKillPoints,
} from '../model/kill-points.ts';
import type { TrialRecord } from '../model/results.ts';
import { formatReachedPair } from '../reports/reached.ts';
import { moduleGate, removeTemporaryFolders, root, runCells } from './testing/run-cells.ts';
import { WireKill } from './wire-kills.ts';

afterEach(removeTemporaryFolders);

const cell = (gate: string, target: string, kill: string) =>
  `${gate}/${target}/${kill}/none/none/same-again`;
const found = (record: TrialRecord) => record.findings.map(({ finding }) => finding);
const request = {
  request: 1,
  incarnation: 1,
  connection: 1,
  method: 'POST',
  path: '/',
  mutating: true,
  key: null,
  bodySha256: '',
};

/** What the service, behind a fence, says of each place when everything went right. */
const behindFence: Readonly<Record<WireKillPoint, string>> = {
  'wire:connection': 'A0→H1',
  'wire:first-byte': 'A0→H1',
  'wire:half-request': 'A0→H1',
  'wire:whole-request': 'A0→H1',
  'wire:applied': 'H1→H1',
  'wire:first-reply-byte': 'H1→H1',
  'wire:half-reply': 'H1→H1',
  'wire:whole-reply': 'H1→H1',
};

describe('a kill placed by the wire', () => {
  it('needs the wire exactly where neither the subject announces nor the service stands still', () => {
    for (const point of allKillPoints) {
      const kill = new WireKill(point);
      const decides =
        kill.connection(request) !== undefined ||
        kill.began(request) === 'stop' ||
        kill.request(request) !== undefined;
      const { placedBy } = killPointFacts(point);
      expect(decides, point).toBe(announcedPointOf(point) === null && placedBy !== 'rail');
    }
  });

  it('is meant for the first mutating request of the first incarnation, and for it alone', () => {
    const kill = new WireKill('wire:applied');
    expect(kill.request({ ...request, mutating: false })).toBeUndefined();
    expect(kill.request({ ...request, incarnation: 2 })).toBeUndefined();
    expect(kill.request({ ...request, request: 3 })).toBeDefined();
    expect(kill.request({ ...request, request: 4 })).toBeUndefined();
  });

  it('counts as reached by what becomes of that request, not of another', async () => {
    const kill = new WireKill('wire:whole-reply');
    kill.request({ ...request, request: 2 });
    const delivered = { type: 'delivered', incarnation: 1, status: 200, byWire: false } as const;
    const matching: boolean[] = [];
    await kill.reached(
      {
        next: async (matches) => {
          matching.push(...[1, 2].map((number) => matches({ ...delivered, request: number })));
          return undefined;
        },
      },
      1,
    );
    expect(matching).toEqual([false, true]);
  });

  it.each(wireKillPoints.map(({ point }) => point))(
    'at %s is proven for a subject that announces nothing, and a sound one holds',
    async (point) => {
      const gates = [
        moduleGate('announces-nothing', `${root}/harness/trial/fixtures/announces-nothing.ts`),
      ];
      const run = await runCells([cell('announces-nothing', 'ledgered.fence', point)], { gates });
      const [record] = run.records;
      if (record === undefined) throw new Error('no trial ran');
      expect([record.verdict, found(record), formatReachedPair(record)]).toEqual([
        'holds',
        [],
        behindFence[point],
      ]);
      expect(run.historyOf(record)).toContain(`"point":"${point}","by":"wire"`);
      expect(run.historyOf(record)).toContain('"points":[]');
    },
  );

  it('shows of an unsound gate what the named point it stands for shows', async () => {
    const placed = wireKillPoints.filter(
      ({ point }) => point === 'wire:half-request' || point === 'wire:half-reply',
    );
    const kills = placed.flatMap(({ point, standsFor }) => [point, standsFor ?? point]);
    const { records } = await runCells(kills.map((kill) => cell('naive', 'stripe.keyed', kill)));
    const [halfRequest, never, halfReply, now] = records.map((record) => new Set(found(record)));
    expect([halfRequest, halfReply]).toEqual([never, now]);
    expect(halfReply).toEqual(new Set(['two-effects']));
    expect(records.every(({ meetsExpectation }) => meetsExpectation === true)).toBe(true);
  });

  it('gets a half request past a mark of no return: nobody can know what became of it', async () => {
    const { records } = await runCells([
      cell('reference', 'ledgered.marked', 'wire:half-request'),
      cell('reference', 'ledgered.marked', 'wire:first-byte'),
    ]);
    expect(records.map((record) => [record.verdict, formatReachedPair(record)])).toEqual([
      ['holds', 'U0→U0'],
      ['holds', 'A0→H1'],
    ]);
  });
});

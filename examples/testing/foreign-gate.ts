/** The cells in which a gate in another language must hold, and an unsound one be condemned. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../harness/model/results.ts';
import type { GateEntry } from '../../harness/plan/catalogue-entry.ts';
import {
  commandGate,
  removeTemporaryFolders,
  runCells,
} from '../../harness/trial/testing/run-cells.ts';

export interface ForeignGate {
  readonly language: string;
  /** The sound gate; with `--unsound` behind it, it mints a fresh key for every attempt. */
  readonly command: readonly string[];
  readonly canRun: boolean;
  /** What is missing where it can't. */
  readonly needs: string;
}

/** kill/fault/caller, the rest of an id being the same for all. */
const soundCells = [
  'before_wal/none/same-again',
  'after_wal_before_call/none/same-again',
  'during_call:now/none/same-again',
  'during_call:later/none/same-again',
  'during_call:never/none/same-again',
  'after_call_before_commit/none/same-again',
  'after_commit_before_ack/none/same-again',
  'after_call_before_commit/reply-lost@first-send/same-again',
  'after_commit_before_ack/reply-lost@first-send/same-again',
  'after_call_before_commit/late-apply@first-send/same-again',
  'after_commit_before_ack/late-apply@first-send/same-again',
  'during_call:now/request-lost@resend/same-again',
  'before_wal/partition@caller/same-again',
  'before_wal/none/changed-amount',
  'during_call:now/none/changed-amount',
  'after_commit_before_ack/none/changed-amount',
  'before_wal/none/storm',
  'during_call:later/none/storm',
  'after_call_before_commit/none/storm',
];
const unsoundCells = [
  'before_wal/none/same-again',
  'after_commit_before_ack/none/same-again',
  'during_call:now/none/same-again',
  'during_call:later/none/same-again',
  'after_call_before_commit/none/same-again',
  'during_call:now/none/changed-amount',
];

const idOf = (gate: string, cell: string): string => {
  const [kill, fault, caller] = cell.split('/');
  return `${gate}/stripe.keyed/${kill}/${fault}/none/${caller}`;
};
/** Each promise once, whether it was seen broken at O1, at O2 or at both. */
const findingsOf = (record: TrialRecord) => [
  ...new Set(record.findings.map(({ finding }) => finding)),
];

export function describeForeignGate({ language, command, canRun, needs }: ForeignGate): void {
  const reason = canRun ? '' : ` (skipped: needs ${needs})`;
  const sound = commandGate(`${language}-sound`, command);
  const unsound: GateEntry = {
    ...commandGate(`${language}-unsound`, [...command, '--unsound']),
    lacks: ['stable-key'],
  };
  const records = new Map<string, TrialRecord>();
  const recordOf = (gate: string, cell: string): TrialRecord => {
    const record = records.get(`${idOf(gate, cell)}/1`);
    if (record === undefined) throw new Error(`${cell} did not run`);
    return record;
  };

  describe.skipIf(!canRun)(`the example in ${language}${reason}`, () => {
    // One run for all cells: what it needs is bundled and started once.
    beforeAll(async () => {
      const ids = [
        ...soundCells.map((cell) => idOf(sound.name, cell)),
        ...unsoundCells.map((cell) => idOf(unsound.name, cell)),
      ];
      const run = await runCells(ids, { gates: [sound, unsound] });
      for (const record of run.records) records.set(record.id, record);
    }, 60_000);
    afterAll(removeTemporaryFolders);

    it.each(soundCells)('keeps every promise at %s', (cell) => {
      const { verdict, findings, reason: why } = recordOf(sound.name, cell);
      expect({ verdict, findings, why }).toEqual({ verdict: 'holds', findings: [], why: null });
    });

    it.each([
      'during_call:now/none/same-again',
      'during_call:later/none/same-again',
      'after_call_before_commit/none/same-again',
      'during_call:now/none/changed-amount',
    ])('with a fresh key for every attempt refunds twice at %s', (cell) => {
      const record = recordOf(unsound.name, cell);
      expect(record.verdict).toBe('violated');
      expect(findingsOf(record)).toEqual(['two-effects']);
      expect(record.o2?.effects).toBe(2);
      expect(record.meetsExpectation).toBe(true);
    });

    it.each(['before_wal/none/same-again', 'after_commit_before_ack/none/same-again'])(
      'with a fresh key for every attempt gets away with %s, where nothing is sent twice',
      (cell) => {
        expect(recordOf(unsound.name, cell).verdict).toBe('holds');
      },
    );
  });
}

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../harness/model/results.ts';
import {
  moduleGate,
  removeTemporaryFolders,
  root,
  runCells,
} from '../../harness/trial/testing/run-cells.ts';

const program = `${root}/examples/wrap-a-function/subject.ts`;
const gate = moduleGate('wrapped-refund', program);

const cells = [
  'before_wal/none/none/same-again',
  'after_wal_before_call/none/none/same-again',
  'during_call:now/none/none/same-again',
  'during_call:never/none/none/same-again',
  'after_call_before_commit/none/none/same-again',
  'after_commit_before_ack/none/none/same-again',
  'after_call_before_commit/reply-lost@first-send/none/same-again',
  'during_call:now/none/none/changed-amount',
  'during_call:later/none/none/storm',
].map((cell) => `${gate.name}/stripe.keyed/${cell}/1`);

describe('a function made a subject', () => {
  const records = new Map<string, TrialRecord>();
  beforeAll(async () => {
    const run = await runCells(cells, { gates: [gate] });
    for (const record of run.records) records.set(record.id, record);
  }, 60_000);
  afterAll(removeTemporaryFolders);

  it('takes less than thirty lines', () => {
    const lines = readFileSync(program, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThan(30);
  });

  it.each(cells)('keeps every promise at %s', (id) => {
    const record = records.get(id);
    expect({
      verdict: record?.verdict,
      findings: record?.findings,
      why: record?.reason,
    }).toEqual({ verdict: 'holds', findings: [], why: null });
  });
});

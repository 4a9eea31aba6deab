import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plantSound } from '../checkers/plant.ts';
import { plantedHistories, soundHistories } from '../checkers/planted.ts';
import type { ObservedEvent } from '../model/history.ts';
import { parseHistory } from '../model/parse-history.ts';
import { openRecorder, type RecordedHistory } from './recorder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killpoint-recorder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { spec } = plantSound({ tier: 'keyed', kill: 'during_call:now' });
const path = () => join(folder, 'history.jsonl');

async function record(
  events: readonly ObservedEvent[],
  trialSpec = spec,
): Promise<RecordedHistory> {
  const recorder = await openRecorder(path(), trialSpec);
  for (const event of events) recorder.observe(event);
  return await recorder.finish();
}

function expectSameAsFile({ history, sha256 }: RecordedHistory): void {
  const text = readFileSync(path(), 'utf8');
  expect(history).toStrictEqual(parseHistory(text));
  // The order of members is part of it: the shape's hash is made over them.
  expect(JSON.stringify(history)).toBe(JSON.stringify(parseHistory(text)));
  expect(sha256).toBe(createHash('sha256').update(text).digest('hex'));
}

/** What a rail can come up with, which our types say it can't. */
function journal(effect: object): ObservedEvent {
  return JSON.parse(JSON.stringify({ type: 'journal', observation: 'O1', effects: [effect] }));
}
const effect = {
  entityId: 're_1',
  stamp: null,
  actor: 'subject',
  subject: 'pay_1',
  substance: { amountMinor: 1 },
  atMs: 1,
};

describe('what the recorder hands out', () => {
  it('is what the file says, for every sound and every planted history', async () => {
    for (const { spec: trialSpec, history } of [...soundHistories, ...plantedHistories]) {
      const events = history.events.map(({ event }) => event);
      expectSameAsFile(await record(events, trialSpec));
    }
  });

  it('is what the file says of events put together in another order', async () => {
    const turned = plantSound({ tier: 'keyed', kill: 'during_call:now' }).events.map(
      (event) => Object.fromEntries(Object.entries(event).toReversed()) as ObservedEvent,
    );
    expectSameAsFile(await record(turned));
  });

  it('is what the file says of a journal that fits no schema', async () => {
    const recorded = await record([{ type: 'phase', phase: 'O1' }, journal({ entityId: 7 })]);
    expect(recorded.history.complete).toBe(false);
    expect(recorded.history.gap).toMatch(/line 3: .*a broken event/);
    expectSameAsFile(recorded);
  });

  it('is what the file says of words that JSON can not hold', async () => {
    const substance = { amountMinor: 1, note: undefined } as unknown as { amountMinor: number };
    const event = journal(effect);
    if (event.type !== 'journal') throw new Error('expected a journal');
    expectSameAsFile(
      await record([{ ...event, effects: event.effects.map((own) => ({ ...own, substance })) }]),
    );
  });

  it('does not change when the rail changes what it gave', async () => {
    const event = journal(effect);
    if (event.type !== 'journal') throw new Error('expected a journal');
    const recorder = await openRecorder(path(), spec);
    recorder.observe(event);
    event.effects.pop();
    expectSameAsFile(await recorder.finish());
  });

  it('is what the file says where that is not what was written', async () => {
    const recorder = await openRecorder(path(), spec);
    recorder.observe({ type: 'phase', phase: 'prepare' });
    appendFileSync(path(), 'not ours'.repeat(100));
    const recorded = await recorder.finish();
    expect(recorded.history.complete).toBe(false);
    expectSameAsFile(recorded);
  });
});

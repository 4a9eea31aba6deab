import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../model/cell.ts';
import { planTrial } from '../plan/plan.ts';
import { historyPath } from '../results/history-path.ts';
import { drawTrial } from './draws.ts';
import {
  removeTemporaryFolders,
  runCells,
  runSeed,
  source,
  temporaryFolder,
} from './testing/run-cells.ts';
import { findStrays } from './testing/strays.ts';

const cellId = 'reference/stripe.keyed/after_wal_before_call/none/none/storm';
const targets = source.targets.filter(({ name }) => name === 'stripe.keyed');

/** What the trial's history says when the run is to be stopped, in the order it comes to it. */
const moments = [
  ['the first process is being started', '"role":"first"'],
  ['the kill is armed', '"type":"kill-armed"'],
  ['the kill has been sent', '"type":"kill-sent"'],
  ['the recovering process is being started', '"role":"recovery"'],
  ['the storm is being started', '"role":"storm"'],
  ['recovery has been asked for', '"message":{"type":"recover"'],
  ['the storm breaks in', '"phase":"caller"'],
  ['recovery is done', '"type":"done"'],
  ['O1 has begun', '"phase":"O1"'],
  ['the observer is being started', '"role":"observer"'],
] as const;

let ownTemporary: string;
let outsideTemporary: string | undefined;
const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown) => void unhandled.push(reason);

beforeEach(() => {
  // A temporary folder of the test's own shows what a run leaves there.
  outsideTemporary = process.env.TMPDIR;
  ownTemporary = join(temporaryFolder(), 'tmp');
  mkdirSync(ownTemporary);
  process.on('unhandledRejection', noteUnhandled);
});
afterEach(() => {
  if (outsideTemporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = outsideTemporary;
  process.off('unhandledRejection', noteUnhandled);
  unhandled.splice(0);
  removeTemporaryFolders();
});

describe('a run that is interrupted in a storm that overlaps recovery', () => {
  it.each(moments)('leaves nothing behind when %s', async (_title, sign) => {
    const trialId = `${cellId}/${firstOverlapping()}`;
    const outDir = temporaryFolder();
    const path = historyPath(outDir, trialId);
    process.env.TMPDIR = ownTemporary;
    const stop = new AbortController();
    const watch = setInterval(() => {
      if (existsSync(path) && readFileSync(path, 'utf8').includes(sign)) stop.abort();
    }, 1);
    try {
      const { records } = await runCells([trialId], { targets, outDir, signal: stop.signal });
      expect(records.map(({ verdict, reason }) => [verdict, reason])).toEqual([
        ['not-run', 'the run was interrupted'],
      ]);
    } finally {
      clearInterval(watch);
    }
    expect(existsSync(path)).toBe(false);
    expect(findStrays()).toEqual([]);
    expect(readdirSync(ownTemporary)).toEqual([]);
    // A promise that nobody awaits is noticed a turn after it was rejected.
    await sleep(20);
    expect(unhandled).toEqual([]);
  });
});

function firstOverlapping(): number {
  const parsed = parseId(cellId);
  if (parsed.kind === 'not-an-id') throw new Error(parsed.why);
  for (let trial = 1; ; trial += 1) {
    const { seed } = planTrial(parsed.cell, trial, runSeed);
    if (drawTrial(seed, parsed.cell).stormOverlapsRecovery) return trial;
  }
}

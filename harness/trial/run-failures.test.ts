import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  moduleGate,
  removeTemporaryFolders,
  root,
  runCells,
  runSeed,
  source,
  temporaryFolder,
} from './testing/run-cells.ts';
import { findStrays } from './testing/strays.ts';

afterEach(removeTemporaryFolders);

const fixture = (name: string) => `${root}/harness/trial/fixtures/${name}`;
const keyed = source.targets.filter(({ name }) => name === 'stripe.keyed');

describe('a run in which a worker throws', () => {
  it('ends the other trials, then closes the lab, and throws what came first', async () => {
    const log = join(temporaryFolder(), 'rail.log');
    const targets = keyed.map((target) => ({
      ...target,
      rail: { ...target.rail, module: fixture('unclosable-rail.ts'), options: { log } },
    }));
    const ids = ['before_wal', 'after_wal_before_call', 'during_call:now', 'during_call:never'];
    const run = runCells(
      ids.map((kill) => `reference/stripe.keyed/${kill}/none/none/storm`),
      {
        targets,
        onTrial: () => {
          throw new Error('the reporter is broken');
        },
      },
    );
    await expect(run).rejects.toThrow('the reporter is broken');
    expect(findStrays()).toEqual([]);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines.at(-1)).toBe('closed the rail');
    expect(lines.filter((line) => line === 'closed')).toHaveLength(2);
    expect(lines.filter((line) => line === 'opened')).toHaveLength(2);
  });

  it('throws what goes wrong with closing when nothing else did', async () => {
    const log = join(temporaryFolder(), 'rail.log');
    const targets = keyed.map((target) => ({
      ...target,
      rail: { ...target.rail, module: fixture('unclosable-rail.ts'), options: { log } },
    }));
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temporaryFolder();
    try {
      const run = runCells(['reference/stripe.keyed/before_wal/none/none/same-again'], {
        targets,
        outDir: join(process.env.TMPDIR, 'out'),
      });
      await expect(run).rejects.toThrow('the rail can not be closed');
      // What could be closed was: the folder of the lab is gone.
      expect(readdirSync(process.env.TMPDIR)).toEqual(['out']);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

describe('a storm of which one process does not come up', () => {
  it('leaves the other one no life after the trial', async () => {
    const gates = [moduleGate('half-a-storm', fixture('half-a-storm.ts'))];
    let strays: readonly number[] = [];
    const run = await runCells(['half-a-storm/stripe.keyed/before_wal/none/none/storm'], {
      gates,
      targets: keyed,
      onTrial: () => {
        strays = findStrays();
      },
    });
    const [record] = run.records;
    if (record === undefined) throw new Error('no record');
    const history = run.historyOf(record);
    expect(history).toContain('"harness-error"');
    expect(history).toContain('expected');
    expect(history.match(/"role":"storm"/g)).toHaveLength(2);
    expect(strays).toEqual([]);
  });
});

describe('the trials of a run', () => {
  it('have workspaces, leases and tokens of their own, though seeds come twice', async () => {
    const run = await runCells(
      ['before_wal', 'during_call:now'].map(
        (kill) => `reference/stripe.keyed/${kill}/none/none/same-again`,
      ),
      { targets: keyed, sameSeed: runSeed },
    );
    const histories = run.records.map((record) => run.historyOf(record));
    const found = (pattern: RegExp) => histories.map((history) => history.match(pattern)?.[0]);
    for (const pattern of [/lease-\d+-\d+/, /"ledger":"[^"]+"/]) {
      const names = found(pattern);
      expect(names).not.toContain(undefined);
      expect(new Set(names).size).toBe(2);
    }
  });
});

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CellError, type CellRequest, expectFindings, expectHolds, runCell } from '../vitest.ts';

const adapter = (name: string) => new URL(`../../adapters/${name}.ts`, import.meta.url);
const landed = 'during_call:now/none/none/same-again';

const sound: CellRequest = {
  target: {
    module: adapter('stripe/target'),
    options: { variant: 'keyed', clientTimeoutMs: 200 },
  },
  rail: { module: adapter('stripe/rail') },
};
/** Declares that keys are honoured by a service that ignores them. */
const overstated: CellRequest = {
  ...sound,
  rail: { module: adapter('stripe/rail'), options: { ignoreKeys: true } },
};

/** All that a run puts into the temporary folder is put into one of the test's own. */
let scratch: string;
const usualTmp = process.env.TMPDIR;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'killpoint-test-'));
  process.env.TMPDIR = scratch;
});
afterEach(() => {
  if (usualTmp === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usualTmp;
  rmSync(scratch, { recursive: true, force: true });
});

describe('a cell as a test', () => {
  it('holds for a sound target of the user’s, and leaves nothing behind', async () => {
    const result = await runCell(landed, sound);
    expectHolds(result);
    expect(result.record.id).toBe(`reference/stripe/${landed}/1`);
    expect(result.historyPath).toBeNull();
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('says what was found, what the journal holds and how to run it again', async () => {
    const keepIn = join(scratch, 'kept');
    const result = await runCell(landed, { ...overstated, keepIn, seed: 5 });
    const history = result.historyPath;
    expect(history !== null && existsSync(history)).toBe(true);
    expect(readdirSync(scratch)).toEqual(['kept']);
    expectFindings(result, 'two-effects');
    expect(() => expectHolds(result)).toThrow(CellError);
    expect(() => expectHolds(result)).toThrow(
      new RegExp(
        [
          'expected every promise to be kept, and it broke two-effects',
          'two-effects: .*re_',
          'demanded H1→H1, reached H2→H2',
          'O1, after recovery: 2 effects in the journal, the gate says happened, settled',
          `history: ${history}`,
          `again: npx killpoint certify target \\./adapters/stripe/target\\.ts --rail \\./adapters/stripe/rail\\.ts --options '.*' --rail-options '\\{"ignoreKeys":true\\}' --only '${landed}' --seed 5`,
        ].join('[^]*'),
      ),
    );
    expect(() => expectFindings(result, 'silent-loss')).toThrow(/expected to find silent-loss/);
  });

  it('runs a gate of the user’s against a target that comes with Killpoint', async () => {
    const gate = {
      command: [
        'python3',
        new URL('../../examples/subject-python/gate.py', import.meta.url).pathname,
      ],
    };
    const result = await runCell(landed, { target: 'stripe.keyed', gate });
    expectHolds(result);
    expect(result.again).toMatch(/^this test, with seed 1/);
  });

  it.each<[string, string, CellRequest, RegExp]>([
    [
      'a cell that is none',
      'here',
      sound,
      /expected a cell as KILL\/FAULT\/WORLD\/CALLER.*got "here"/,
    ],
    ['a kill point nobody knows', 'when/none/none/same-again', sound, /unknown kill point "when"/],
    [
      'a cell that can’t exist',
      'before_wal/reply-lost@first-send/none/same-again',
      sound,
      /has nothing to run: cannot-meet/,
    ],
    [
      'a target without a rail',
      landed,
      { target: { module: adapter('stripe/target') } },
      /expected a rail/,
    ],
    [
      'a rail beside a target that has one',
      landed,
      { ...sound, target: 'stripe.keyed' },
      /expected no rail/,
    ],
    [
      'a target nobody knows',
      landed,
      { target: 'stripe.keid' },
      /unknown target "stripe.keid"; known: stripe.keyed/,
    ],
    [
      'a module that is not there',
      landed,
      { ...sound, target: { module: './nowhere.ts' } },
      /expected the module of the target at .*nowhere\.ts, got nothing there/,
    ],
    [
      'an export that is not there',
      landed,
      { ...sound, rail: { module: adapter('stripe/rail'), export: 'rail' } },
      /must export a function "rail"; it exports: createRail/,
    ],
  ])('refuses %s', async (_, cell, request, message) => {
    await expect(runCell(cell, request)).rejects.toThrow(message);
    expect(readdirSync(scratch)).toEqual([]);
  });

  it('ends with its signal', async () => {
    const signal = AbortSignal.abort();
    await expect(runCell(landed, { ...sound, signal })).rejects.toThrow(/did not run.*interrupted/);
  });
});

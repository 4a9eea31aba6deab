import { describe, expect, it } from 'vitest';
import { rerunOfId } from './rerun.ts';

const id = 'mine/stripe.keyed/before_wal/none/none/same-again/1';

describe('the command that runs a trial again', () => {
  it.each([
    ['npx killpoint run world --seed 4', `npx killpoint run ${id} --seed 4`],
    [
      'npx killpoint certify gate --against stripe.keyed --seed 4 -- python3 gate.py -- x',
      `npx killpoint certify gate --against stripe.keyed --seed 4 --only ${id} -- python3 gate.py -- x`,
    ],
    [
      'npx killpoint certify target ./t.ts --rail ./r.ts --only other/cell --seed 4',
      `npx killpoint certify target ./t.ts --rail ./r.ts --seed 4 --only ${id}`,
    ],
  ])('follows from %s', (command, again) => {
    expect(rerunOfId(id, { command, seed: 4 })).toBe(again);
  });
});

/** Everything a trial draws, from its seed alone. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { TrialSpec } from '../model/trial.ts';

const longestHoldMs = 20;
const longestJitterMs = 5;

export function drawTrial(seed: number): TrialSpec['draws'] {
  const generator = xoroshiro128plus(seed | 0);
  const upTo = (most: number) => uniformInt(generator, 0, most);
  return {
    examples: upTo(0x7fff_ffff),
    holdMs: upTo(longestHoldMs),
    killJitterMs: upTo(longestJitterMs),
    stormOverlapsRecovery: upTo(1) === 1,
    lateBeforeLook: upTo(1) === 1,
  };
}

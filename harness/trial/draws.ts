/** Everything a trial draws, from its seed alone. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Cell } from '../model/cell.ts';
import type { TrialSpec } from '../model/trial.ts';

const longestHoldMs = 20;
const longestJitterMs = 5;

export function drawTrial(seed: number, cell: Cell): TrialSpec['draws'] {
  const generator = xoroshiro128plus(seed | 0);
  const upTo = (most: number) => uniformInt(generator, 0, most);
  return {
    examples: upTo(0x7fff_ffff),
    holdMs: upTo(longestHoldMs),
    killJitterMs: upTo(longestJitterMs),
    stormOverlapsRecovery: upTo(1) === 1 && mayOverlapRecovery(cell),
    lateBeforeLook: upTo(1) === 1,
    // A multiple of every number of ways there are.
    lostReply: upTo(5),
  };
}

/**
 * A connection does not say whether recovery or a caller opened it, so a fault that meets connections
 * and is meant for the callers needs recovery to be over.
 */
function mayOverlapRecovery({ fault }: Cell): boolean {
  const meetsConnections = fault.fault === 'partition' || fault.fault === 'partition-forever';
  return !(meetsConnections && fault.phase === 'caller');
}

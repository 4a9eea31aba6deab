/** A kill and the kills of recovery after it, in words and in order. Pure. */
import type { Scenario } from './cell.ts';
import {
  killPointFacts,
  killPointNames,
  recoveryPointGlosses,
  recoveryPoints,
} from './kill-points.ts';

export type Killed = Pick<Scenario, 'kill' | 'recoveryKills'>;

/** What people are shown beside the kill's id. */
export function glossKill({ kill, recoveryKills }: Killed): string {
  return [
    killPointFacts(kill).gloss,
    ...recoveryKills.map((point) => `killed again when ${recoveryPointGlosses[point]}`),
  ].join('; ');
}

/** In the order of an effect's life; what kills recovery too comes behind what does not. */
export function compareKills(left: Killed, right: Killed): number {
  const order = killPointNames.indexOf(left.kill) - killPointNames.indexOf(right.kill);
  return order === 0 ? compareRecovery(left.recoveryKills, right.recoveryKills) : order;
}

function compareRecovery(left: Killed['recoveryKills'], right: Killed['recoveryKills']): number {
  if (left.length !== right.length) return left.length - right.length;
  for (const [index, point] of left.entries()) {
    const other = right[index];
    if (other === undefined || other === point) continue;
    return recoveryPoints.indexOf(point) - recoveryPoints.indexOf(other);
  }
  return 0;
}

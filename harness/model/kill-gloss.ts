/** A kill and the kills of recovery after it, in words and in order. Pure. */
import type { Scenario } from './cell.ts';
import {
  allKillPoints,
  killPointFacts,
  recoveryPointGlosses,
  recoveryPoints,
} from './kill-points.ts';

export type Killed = Pick<Scenario, 'kill' | 'recoveryKills' | 'paused' | 'rivalAt'>;

/** What people are shown beside the kill's id. */
export function glossKill({ kill, recoveryKills, paused, rivalAt }: Killed): string {
  return [
    killPointFacts(kill).gloss,
    ...(paused === true ? ['stopped there, not killed, while a second process recovered'] : []),
    ...(rivalAt === undefined
      ? []
      : [`a second recovery came when ${recoveryPointGlosses[rivalAt]}`]),
    ...recoveryKills.map((point) => `killed again when ${recoveryPointGlosses[point]}`),
  ].join('; ');
}

/** In the order of an effect's life; what kills recovery too comes behind what does not. */
export function compareKills(left: Killed, right: Killed): number {
  const order = allKillPoints.indexOf(left.kill) - allKillPoints.indexOf(right.kill);
  if (order !== 0) return order;
  const beside = besideOf(left) - besideOf(right);
  return beside === 0 ? compareRecovery(left.recoveryKills, right.recoveryKills) : beside;
}

/** Rows without a second process come first. */
function besideOf({ paused, rivalAt }: Killed): number {
  if (paused === true) return 1;
  return rivalAt === undefined ? 0 : 2 + recoveryPoints.indexOf(rivalAt);
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

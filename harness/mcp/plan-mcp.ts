/**
 * Which cells are for an MCP server behind an agent. It has no recovery of its own and can't be asked: what
 * is performed is performed because the agent calls again. Pure.
 */
import type { CallerBehaviour, Cell } from '../model/cell.ts';
import { type KillPoint, wireKillPoints } from '../model/kill-points.ts';
import { worldFacts } from '../model/world-table.ts';

/** Those who call again, with the same arguments. */
const callsAgain: readonly CallerBehaviour[] = [
  'same-again',
  'fresh-id',
  'storm',
  'second-session',
];
/** Where the effect is there whoever calls again: then other arguments may change nothing. */
const isThere: readonly KillPoint[] = [
  'during_call:now',
  ...wireKillPoints
    .filter(({ standsFor }) => standsFor === 'during_call:now')
    .map(({ point }) => point),
];

/** Null where it is tried. */
export function whyNotForMcp({ kill, fault, world, caller }: Cell): string | null {
  if (fault.fault !== 'none' && fault.phase !== 'first-send') {
    return 'an MCP server has no recovery that a fault could meet';
  }
  const { ends, premises } = worldFacts(world);
  if (ends === 'authority') return 'an agent’s call carries no lease';
  if (premises.length > 0) return 'an agent’s call carries no premises';
  if (caller === 'changed-amount') {
    return isThere.includes(kill) ? null : 'nothing recovers what other arguments find undone';
  }
  return callsAgain.includes(caller) ? null : 'an agent that does not call again gets nothing done';
}

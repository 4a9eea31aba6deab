/**
 * What a run as a whole failed to see. A trial can only condemn what it looked at, so a run without
 * a kill at some point, or without a fire of some fault, proves nothing about it however green it is.
 */
import { formatFault } from '../model/cell.ts';
import { killPointFacts } from '../model/kill-points.ts';
import type { GateFacts, TrialRecord } from '../model/results.ts';
import { isConclusive, isTrial } from './counts.ts';
import { cellOf, gatesThatLackRules } from './read-cell.ts';

/**
 * Complaints for people, none when the run saw what its plan names. A conclusive trial stands for a
 * proven kill and, where a fault was armed, for its fire: without either it would be inconclusive.
 */
export function findBlindSpots(
  records: readonly TrialRecord[],
  gates: readonly GateFacts[],
): readonly string[] {
  const seen = records.filter(isTrial).map((record) => ({ record, cell: cellOf(record) }));
  if (seen.length === 0) return ['not one trial: nothing was tried, so nothing was shown'];

  const kills = new Tally();
  const faults = new Tally();
  const pairs = new Tally();
  const holds = new Tally();
  const lacking = gatesThatLackRules(gates);
  for (const { record, cell } of seen) {
    const fault = formatFault(cell.fault);
    const conclusive = isConclusive(record);
    // A paused process is not killed; its point is owed a kill all the same where others are planned.
    if (cell.paused !== true) kills.count(cell.kill, conclusive);
    if (fault !== 'none') faults.count(fault, conclusive);
    pairs.count(JSON.stringify([cell.kill, fault]), conclusive);
    if (!lacking.has(cell.gate)) {
      holds.count(JSON.stringify([cell.gate, cell.kill]), record.verdict === 'holds');
    }
  }

  const blindKills = kills.without();
  const blindFaults = faults.without();
  return [
    ...blindKills.map((kill) => `no proven kill at ${withGloss(kill)}`),
    ...blindFaults.map((fault) => `${fault} never took effect in a conclusive trial`),
    ...pairs
      .without()
      .map(pairOf)
      .filter(([kill, fault]) => !blindKills.includes(kill) && !blindFaults.includes(fault))
      .map(([kill, fault]) => `no conclusive trial of ${kill} with ${fault}`),
    ...holds
      .without()
      .map(pairOf)
      .map(([gate, kill]) => `${gate} holds nowhere at ${kill}, so nothing shows that it can`),
    ...uncondemned(records),
  ];
}

/** A gate that lacks a rule and is never caught means that the checkers see nothing. */
function uncondemned(records: readonly TrialRecord[]): readonly string[] {
  const mustBeFound = records.filter((record) => record.expectedFindings.length > 0);
  if (mustBeFound.length === 0) return [];
  const condemned = mustBeFound.some((record) => record.verdict === 'violated');
  return condemned
    ? []
    : ['no gate that lacks rules was condemned, so nothing shows that a broken promise is seen'];
}

/** Which keys came up, and which of them counted at least once. */
class Tally {
  private readonly counted = new Map<string, boolean>();

  count(key: string, counts: boolean): void {
    this.counted.set(key, counts || this.counted.get(key) === true);
  }

  without(): readonly string[] {
    return [...this.counted].filter(([, counts]) => !counts).map(([key]) => key);
  }
}

function pairOf(key: string): readonly [string, string] {
  const [first, second] = JSON.parse(key) as [string, string];
  return [first, second];
}

function withGloss(kill: string): string {
  const facts = killPointFacts(kill as Parameters<typeof killPointFacts>[0]);
  return `${kill} (${facts.gloss})`;
}

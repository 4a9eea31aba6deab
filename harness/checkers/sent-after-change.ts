/**
 * Calls that left after the world had changed: every incarnation that sends them was started after the
 * change, so that each of its checks could have seen it. Pure.
 */
import type { Finding, FindingName } from '../model/findings.ts';
import { whatEnds } from '../model/mandate.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Facts } from './facts.ts';
import { mutatingRequests } from './requests.ts';
import { eventsOf } from './seen.ts';

/** One finding a call, where the cell's world ends what the finding is about. */
export function sentAfterChange(
  spec: TrialSpec,
  facts: Facts,
  { ended, finding, what }: { ended: 'authority' | 'premises'; finding: FindingName; what: string },
): readonly Finding[] {
  if (whatEnds(spec.declaration, spec.cell.world) !== ended) return [];
  const [change] = eventsOf(facts, 'world');
  if (change === undefined) return [];
  return mutatingRequests(facts)
    .filter(({ began }) => began.stage > change.stage)
    .map(({ request, incarnation, began }) => ({
      finding,
      message: `request ${request} of incarnation ${incarnation} began in phase ${began.phase}, after ${spec.cell.world}: expected no call once ${what}`,
      events: [change.n, began.n],
    }));
}

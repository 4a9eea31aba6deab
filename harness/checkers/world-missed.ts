/**
 * What the cell says changed during the outage did change, and the harness saw it for itself; otherwise
 * the trial is one of another cell.
 */
import type { Finding } from '../model/findings.ts';
import { submittedPremises, whatEnds } from '../model/mandate.ts';
import type { TrialSpec } from '../model/trial.ts';
import { movesServiceClock, type WorldEvent } from '../model/world-table.ts';
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { type EventOf, eventsOf } from './seen.ts';

export const worldMissed: Checker = {
  finding: 'world-missed',
  check: (spec, facts) => {
    const { world } = spec.cell;
    const changes = eventsOf(facts, 'world');
    if (world === 'none') {
      return changes.map(({ n, event }) => missed(`expected no change, came ${event.event}`, n));
    }
    const [change, ...others] = changes;
    if (change === undefined)
      return [missed(`expected ${world} during the outage, nothing changed`)];
    if (others.length > 0 || change.event.event !== world || change.phase !== 'outage') {
      const came = changes.map(({ event, phase }) => `${event.event} in phase ${phase}`).join(', ');
      return [missed(`expected ${world} once during the outage, came ${came}`, change.n)];
    }
    const why = unproven(spec, change.event) ?? unseenInJournal(spec, facts);
    return why === null ? [] : [missed(`${world}: ${why}`, change.n)];
  },
};

function unproven(spec: TrialSpec, change: EventOf<'world'>): string | null {
  const { world } = spec.cell;
  const authority = authorityAfter(world);
  if (change.authority !== authority) {
    return `expected the authority to be ${authority}, it was ${change.authority}`;
  }
  const ends = whatEnds(spec.declaration, world);
  const premises =
    submittedPremises(spec.declaration, world).length === 0
      ? null
      : ends === 'premises'
        ? 'stale'
        : 'hold';
  if (change.premises !== premises) {
    return `expected the premises to be ${premises ?? 'none'}, they were ${change.premises ?? 'none'}`;
  }
  const movesClocks = movesServiceClock(world) || world === 'authority-expired';
  return movesClocks === change.clockOffsetMs > 0
    ? null
    : `expected the clocks ${movesClocks ? 'to be moved' : 'to stay'}, they were moved by ${change.clockOffsetMs} ms`;
}

/** What people did to the service themselves is in its journal, where this can be told from our own. */
function unseenInJournal({ cell }: TrialSpec, { observations }: Facts): string | null {
  const { byOthers } = observations.O1;
  return cell.world === 'done-by-hand' && byOthers?.length === 0
    ? 'expected another’s effect in the journal besides the control, there was none'
    : null;
}

function authorityAfter(world: WorldEvent): EventOf<'world'>['authority'] {
  switch (world) {
    case 'authority-revoked':
      return 'dead';
    case 'authority-expired':
      return 'expired';
    case 'authority-unreachable':
      return 'unreachable';
    default:
      return 'live';
  }
}

function missed(message: string, ...events: readonly number[]): Finding {
  return { finding: 'world-missed', message, events };
}

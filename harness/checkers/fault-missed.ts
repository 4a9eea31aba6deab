/**
 * An armed fault took effect where it was armed and nowhere else, and where none was armed none did;
 * otherwise the trial is one of another cell.
 */

import type { Phase } from '../model/cell.ts';
import type { Finding } from '../model/findings.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { faultLeftNoTrace } from './fault-effects.ts';
import { type EventOf, eventsOf, type Seen } from './seen.ts';

export const faultMissed: Checker = {
  finding: 'fault-missed',
  check: (spec, facts) => {
    const armed = spec.cell.fault;
    const fired = eventsOf(facts, 'fault-fired');
    if (armed.fault === 'none') {
      return fired.map(({ n, event }) => missed(`expected no fault, ${event.fault} fired`, [n]));
    }
    const where = `${armed.fault} in phase ${armed.phase}`;
    if (fired.length === 0) return [missed(`expected ${where} to fire, it never did`, [])];
    return fired.flatMap((seen): Finding[] => {
      const { fault, incarnation } = seen.event;
      if (fault !== armed.fault) return [missed(`expected ${where}, ${fault} fired`, [seen.n])];
      if (!firedInPhase(armed.phase, spec, facts, seen)) {
        const place = `in incarnation ${incarnation}, phase ${seen.phase} of the trial`;
        return [missed(`expected ${where}, it fired ${place}`, [seen.n])];
      }
      const absent = faultLeftNoTrace(armed.fault, facts, seen);
      return absent === null ? [] : [missed(`${where} fired: ${absent}`, [seen.n])];
    });
  },
};

function firedInPhase(
  phase: Phase,
  spec: TrialSpec,
  facts: Facts,
  { n, stage, event }: Seen<EventOf<'fault-fired'>>,
): boolean {
  const beforeO1 = stage < (facts.observations.O1.stage ?? Number.POSITIVE_INFINITY);
  const stormOverlaps = spec.cell.caller === 'storm' && spec.draws.stormOverlapsRecovery;
  const afterCallersSubmit = facts.submits.some(
    ({ incarnation, sent }) => incarnation === event.incarnation && sent.n < n,
  );
  switch (phase) {
    case 'first-send':
      return event.incarnation === 1;
    case 'resend':
      return event.incarnation >= 2 && beforeO1 && (!afterCallersSubmit || stormOverlaps);
    case 'caller':
      return event.incarnation >= 2 && afterCallersSubmit;
    default:
      return phase satisfies never;
  }
}

function missed(message: string, events: readonly number[]): Finding {
  return { finding: 'fault-missed', message, events };
}

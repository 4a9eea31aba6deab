/**
 * An armed fault took effect where it was armed and nowhere else, and where none was armed none did;
 * otherwise the trial is one of another cell.
 */

import type { Phase } from '../model/cell.ts';
import { isWireFault, type RailFaultName } from '../model/fault-table.ts';
import type { Finding } from '../model/findings.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { faultLeftNoTrace } from './fault-effects.ts';
import { mutatingRequests } from './requests.ts';
import { type EventOf, eventsOf, type Seen } from './seen.ts';

export const faultMissed: Checker = {
  finding: 'fault-missed',
  check: (spec, facts) => {
    const armed = spec.cell.fault;
    const fired = eventsOf(facts, 'fault-fired');
    const byRail = eventsOf(facts, 'rail-fault-fired');
    if (armed.fault === 'none') {
      return [...fired, ...byRail].map(({ n, event }) =>
        missed(`expected no fault, ${event.fault} fired`, [n]),
      );
    }
    const where = `${armed.fault} in phase ${armed.phase}`;
    const { fault: name, phase } = armed;
    if (!isWireFault(name)) return railFaultMissed(name, phase, facts, byRail);
    if (fired.length === 0) return [missed(`expected ${where} to fire, it never did`, [])];
    return fired.flatMap((seen): Finding[] => {
      const { fault, incarnation } = seen.event;
      if (fault !== armed.fault) return [missed(`expected ${where}, ${fault} fired`, [seen.n])];
      if (!firedInPhase(armed.phase, spec, facts, seen)) {
        const place = `in incarnation ${incarnation}, phase ${seen.phase} of the trial`;
        return [missed(`expected ${where}, it fired ${place}`, [seen.n])];
      }
      const absent = faultLeftNoTrace(name, facts, seen);
      return absent === null ? [] : [missed(`${where} fired: ${absent}`, [seen.n])];
    });
  },
};

/** A rail's own fault has no incarnation: when it met a request, in the order of the trial, must do. */
function railFaultMissed(
  fault: RailFaultName,
  phase: Phase,
  facts: Facts,
  fired: readonly Seen<EventOf<'rail-fault-fired'>>[],
): readonly Finding[] {
  const where = `${fault} in phase ${phase}`;
  const [first] = fired;
  if (first === undefined) return [missed(`expected ${where} to take effect, it never did`, [])];
  if (first.event.fault !== fault)
    return [missed(`expected ${where}, ${first.event.fault} fired`, [first.n])];
  const beganInTime = railPhases[phase].includes(first.phase);
  if (!beganInTime)
    return [missed(`expected ${where}, it fired in phase ${first.phase} of the trial`, [first.n])];
  const proof = railProofOf(fault);
  if (proof === null) return [];
  const { from, to, ofCalls } = proof;
  const seen = (ofCalls ? mutatingRequests(facts) : facts.requests).some(({ replied }) => {
    const status = replied?.event.status ?? 0;
    return from <= status && status <= to;
  });
  if (seen) return [];
  const reply = `a reply ${from === to ? from : `from ${from} to ${to}`}${ofCalls ? ' to a call' : ''}`;
  return [missed(`${where} fired: expected ${reply} on the wire, there was none`, [first.n])];
}

/** A storm that overlaps recovery has entered `caller` while recovery goes on. */
const railPhases: Readonly<Record<Phase, readonly string[]>> = {
  'first-send': ['first'],
  look: ['recovery', 'caller'],
  resend: ['recovery', 'caller'],
  caller: ['caller'],
};

interface RailProof {
  readonly from: number;
  readonly to: number;
  /** Whether it must be the reply to a request that can have the effect. */
  readonly ofCalls: boolean;
}

const exactly = (status: number, ofCalls = false): RailProof => ({
  from: status,
  to: status,
  ofCalls,
});

/** What the subject is answered with; null where the fault has no status of its own. */
function railProofOf(fault: RailFaultName): RailProof | null {
  switch (fault) {
    case 'stored-error-landed':
    case 'stored-error-lost':
    case 'lookup-500':
      return exactly(500);
    case 'in-flight-conflict':
      return exactly(409);
    case 'refused-401':
    case 'lookup-401':
      return exactly(401);
    case 'refused-429':
    case 'lookup-429':
      return exactly(429);
    case 'refused-for-now':
    case 'refused-for-good':
      // Every service has words of its own for it.
      return { from: 400, to: 499, ofCalls: true };
    case 'half-done':
      return exactly(502, true);
    case 'lookup-empty':
    case 'paged':
    case 'paged-changing':
    case 'stale-read':
      return null;
    default:
      return fault satisfies never;
  }
}

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
    case 'look':
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

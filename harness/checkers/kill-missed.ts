/**
 * The kill is proven, or the trial proves nothing: the cell's point was reached, our SIGKILL was
 * sent after it, exactly the process that works ended by it, nothing of it lives on, and the wire
 * agrees with what the point says the service has seen by then. A point the subject announces is
 * reached by its own word and no other: the very point that was armed, at the armed time. Where the
 * process is only paused at its point, the proof of that stands in for the kill's.
 */
import type { Finding } from '../model/findings.ts';
import { submittedPremises } from '../model/mandate.ts';
import type { TrialSpec } from '../model/trial.ts';
import { readReadyPid, whyUnannounced } from './announced.ts';
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';
import { type Death, wireContradicts } from './kill-wire.ts';
import { disprovePause } from './pause-missed.ts';
import { type EventOf, eventsOf, eventsOfIncarnation, type Seen } from './seen.ts';

export const killMissed: Checker = {
  finding: 'kill-missed',
  check: (spec, facts) => {
    if (spec.cell.paused === true) return disprovePause(spec, facts);
    const armed = eventsOf(facts, 'kill-armed');
    const points = plannedPoints(spec);
    const unarmed = points.filter((point, index) => armed[index]?.event.point !== point);
    if (unarmed.length > 0) {
      return [
        missed(
          `expected kills armed at ${points.join(', ')}, in this order; ${unarmed.join(', ')} never was`,
          [],
        ),
      ];
    }
    return armed.flatMap((seen, index) =>
      disprove(facts, {
        armed: seen,
        planned: points[index] ?? null,
        neverCalls: neverCalls(spec),
        readsPremises: submittedPremises(spec.declaration, spec.cell.world).length > 0,
      }),
    );
  },
};

/** The cell's own kill first, then those of recovery, one incarnation each. */
function plannedPoints({ cell }: TrialSpec): readonly EventOf<'kill-armed'>['point'][] {
  return [cell.kill, ...cell.recoveryKills.map((point) => `recovery:${point}` as const)];
}

/** A gate that performs nothing has no call that the wire could have seen. */
function neverCalls({ gate }: TrialSpec): boolean {
  return gate.lacks.includes('effects-performed');
}

interface PlannedKill {
  readonly armed: Seen<EventOf<'kill-armed'>>;
  readonly planned: EventOf<'kill-armed'>['point'] | null;
  readonly neverCalls: boolean;
  readonly readsPremises: boolean;
}

/** Whatever is missing from the proof of one kill; the wire is asked only once the death is proven. */
function disprove(
  facts: Facts,
  { armed, planned, neverCalls, readsPremises }: PlannedKill,
): readonly Finding[] {
  const { incarnation, point } = armed.event;
  const where = `the kill at ${point} in incarnation ${incarnation}`;
  const proof = proveDeath(facts, armed);
  if (proof.kind === 'gap') return [missed(`${where}: ${proof.why}`, [armed.n, ...proof.events])];
  const contradiction = wireContradicts(facts, {
    point,
    death: proof.death,
    neverCalls,
    readsPremises,
  });
  if (contradiction !== null) {
    const { killSent, exited } = proof.death;
    return [missed(`${where}: ${contradiction}`, [armed.n, killSent, exited])];
  }
  return point === planned
    ? []
    : [missed(`${where}: expected ${planned ?? 'no further kill'}`, [armed.n])];
}

type Proof =
  | { readonly kind: 'death'; readonly death: Death }
  | { readonly kind: 'gap'; readonly why: string; readonly events: readonly number[] };

function proveDeath(facts: Facts, armed: Seen<EventOf<'kill-armed'>>): Proof {
  const { incarnation, point } = armed.event;
  const gap = (why: string, ...events: readonly number[]): Proof => ({ kind: 'gap', why, events });

  const reached = eventsOfIncarnation(facts, 'point-reached', incarnation).find(
    (seen) => seen.event.point === point && seen.n > armed.n,
  );
  if (reached === undefined) return gap('expected the point to be reached, it never was');
  const unannounced = whyUnannounced(facts, {
    armed: armed.event,
    after: armed.n,
    before: reached.n,
  });
  if (unannounced !== null) return gap(unannounced, reached.n);

  const sent = eventsOfIncarnation(facts, 'kill-sent', incarnation).find(
    (seen) => seen.n > reached.n,
  );
  if (sent === undefined) return gap('expected SIGKILL after the point, none was sent', reached.n);

  const { pid } = sent.event;
  const spawned = eventsOfIncarnation(facts, 'spawned', incarnation)[0];
  if (spawned?.event.pid !== pid) {
    return gap(
      `expected the spawned process ${spawned?.event.pid} to be killed, got ${pid}`,
      sent.n,
    );
  }
  const readyPid = readReadyPid(facts, incarnation);
  if (readyPid !== pid) {
    return gap(
      `expected the killed process ${pid} to be the one that said ready, ${readyPid ?? 'none'} did`,
      sent.n,
    );
  }

  const exited = eventsOfIncarnation(facts, 'exited', incarnation).find(
    (seen) => seen.event.pid === pid,
  );
  if (exited === undefined) return gap(`expected process ${pid} to end, it never did`, sent.n);
  if (exited.n < sent.n) return gap(`process ${pid} had ended before SIGKILL was sent`, exited.n);
  if (exited.event.signal !== 'SIGKILL') {
    const { code, signal } = exited.event;
    return gap(
      `expected process ${pid} to end by SIGKILL, got ${signal ?? `exit code ${code}`}`,
      exited.n,
    );
  }

  const survivors = eventsOfIncarnation(facts, 'survivors', incarnation).find(
    (seen) => seen.n > exited.n,
  );
  if (survivors === undefined) return gap('nobody looked for survivors after the exit', exited.n);
  if (survivors.event.pids.length > 0) {
    return gap(`expected no survivors, got ${survivors.event.pids.join(', ')}`, survivors.n);
  }
  return { kind: 'death', death: { incarnation, killSent: sent.n, exited: exited.n } };
}

function missed(message: string, events: readonly number[]): Finding {
  return { finding: 'kill-missed', message, events };
}

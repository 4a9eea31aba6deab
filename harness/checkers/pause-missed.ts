/**
 * What stands in for the proof of a kill where the first incarnation is only paused: it came to its
 * point by its own word, was seen to be stopped there, another was told to recover meanwhile, and the
 * very same process was let go on afterwards. What the wire had seen of it by then must fit the point.
 */
import type { Finding } from '../model/findings.ts';
import type { TrialSpec } from '../model/trial.ts';
import { readReadyPid, whyUnannounced } from './announced.ts';
import type { Facts } from './facts.ts';
import { wireContradicts } from './kill-wire.ts';
import { type EventOf, eventsOf, eventsOfIncarnation, type Seen } from './seen.ts';
import { readStanding, type Standing } from './standing-still.ts';

/** Whatever is missing from the proof of the pause; empty when it is whole. */
export function disprovePause(spec: TrialSpec, facts: Facts): readonly Finding[] {
  const { kill } = spec.cell;
  const killed = eventsOf(facts, 'kill-armed');
  if (killed.length > 0) {
    return [missed(`the pause at ${kill}: expected no kill, one was armed`, killed)];
  }
  const standing = readStanding(spec, facts);
  if (standing === null) {
    return [missed(`the pause at ${kill}: expected the point to be reached, it never was`, [])];
  }
  const gap = findGap(spec, facts, standing);
  const where = `the pause at ${kill} in incarnation ${standing.incarnation}`;
  return gap === null ? [] : [missed(`${where}: ${gap.why}`, [standing.reached, ...gap.seen])];
}

interface Gap {
  readonly why: string;
  readonly seen: readonly Seen[];
}

function findGap(spec: TrialSpec, facts: Facts, { incarnation, reached }: Standing): Gap | null {
  const gap = (why: string, ...seen: readonly Seen[]): Gap => ({ why, seen });
  const { kill: point } = spec.cell;
  const unannounced = whyUnannounced(facts, {
    armed: armedIn(spec, incarnation),
    after: 0,
    before: reached.n,
  });
  if (unannounced !== null) return gap(unannounced);

  const paused = eventsOfIncarnation(facts, 'paused', incarnation).find(({ n }) => n > reached.n);
  if (paused === undefined) return gap('expected it to be stopped there, it never was');
  const resumed = eventsOfIncarnation(facts, 'resumed', incarnation).find(({ n }) => n > paused.n);
  if (resumed === undefined) return gap('expected it to be let go on, it never was', paused);
  const identity = whyAnotherProcess(facts, paused, resumed);
  if (identity !== null) return gap(identity, paused, resumed);

  const ended = eventsOfIncarnation(facts, 'exited', incarnation).find(({ n }) => n < resumed.n);
  if (ended !== undefined) return gap('expected it to live until it was let go on', ended);
  const told = facts.invitations.some(
    ({ kind, incarnation: other, sent }) =>
      kind === 'recover' && other !== incarnation && paused.n < sent.n && sent.n < resumed.n,
  );
  if (!told) return gap('expected another to be told to recover meanwhile, nobody was', resumed);

  // As far as the wire is concerned a stopped process is a dead one, until it is let go on.
  const contradiction = wireContradicts(upTo(facts, resumed.n), {
    point,
    death: { incarnation, killSent: paused.n, exited: resumed.n },
    neverCalls: false,
    readsPremises: false,
  });
  return contradiction === null ? null : gap(contradiction, paused);
}

function whyAnotherProcess(
  facts: Facts,
  paused: Seen<EventOf<'paused'>>,
  resumed: Seen<EventOf<'resumed'>>,
): string | null {
  const { incarnation, pid } = paused.event;
  const spawned = eventsOfIncarnation(facts, 'spawned', incarnation)[0]?.event.pid;
  const others = [spawned, readReadyPid(facts, incarnation), resumed.event.pid].filter(
    (other) => other !== pid,
  );
  return others.length === 0
    ? null
    : `expected process ${pid} to be the one that was started, works and was let go on, got ${others.join(', ')}`;
}

/** Nothing of it is armed to be killed; it is told where to stand still all the same. */
function armedIn({ cell }: TrialSpec, incarnation: number): EventOf<'kill-armed'> {
  const attempt = cell.kill === 'before_wal' ? 0 : 1;
  const { kill: point } = cell;
  return { type: 'kill-armed', incarnation, point, intent: '', attempt, occurrence: 1 };
}

function upTo(facts: Facts, end: number): Facts {
  return {
    ...facts,
    events: facts.events.filter(({ n }) => n < end),
    requests: facts.requests.filter(({ began }) => began.n < end),
  };
}

function missed(message: string, seen: readonly Seen[]): Finding {
  return { finding: 'kill-missed', message, events: seen.map(({ n }) => n) };
}

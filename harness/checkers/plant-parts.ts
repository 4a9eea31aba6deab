/** The parts of a planted history that are no requests: what the harness sends and the subject says. */
import type { JsonObject } from '../../adapters/target.ts';
import type { Outcome } from '../../gate/gate.ts';
import type { Claim, Ending } from '../model/expectation.ts';
import type { ObservedEvent } from '../model/history.ts';
import { announcedPointOf } from '../model/kill-points.ts';
import type { EventOf } from './seen.ts';

/** The lifetime that answers at O2; past those of a storm. */
export const observer = 9;

/** The first lifetime of a recovery that is killed in its turn; past those of a storm, too. */
export const killedFrom = 5;

/** Who submits under which id: five callers on three processes. The first is the only one outside a storm. */
export const stormCallers: readonly (readonly [incarnation: number, id: number])[] = [
  [2, 10],
  [2, 11],
  [3, 12],
  [3, 13],
  [4, 14],
];

export const stormEnds: readonly ObservedEvent[] = [3, 4].map((incarnation) => exit(incarnation));

export function start(
  incarnation: number,
  role: EventOf<'spawned'>['role'],
): readonly ObservedEvent[] {
  const pid = 100 + incarnation;
  return [
    { type: 'spawned', incarnation, pid, role },
    { type: 'sent', incarnation, message: { type: 'start', protocol: 1 } },
    {
      type: 'said',
      incarnation,
      message: {
        type: 'ready',
        pid,
        name: 'planted',
        version: '1',
        capabilities: { points: [], resolve: false },
      },
    },
  ];
}

/** The lifetime that recovers beside another that stands still. */
export const rival = 3;

/** The point is reached, announced where the subject must. */
export function standAt(
  point: EventOf<'kill-armed'>['point'],
  incarnation: number,
  attempt: number,
): readonly ObservedEvent[] {
  const announced = announcedPointOf(point);
  const said: readonly ObservedEvent[] =
    announced === null
      ? []
      : [
          {
            type: 'said',
            incarnation,
            message: { type: 'at', point: announced, intent: 'request-1', attempt, occurrence: 1 },
          },
        ];
  return [
    ...said,
    { type: 'point-reached', incarnation, point, by: announced === null ? 'wire' : 'announced' },
  ];
}

/** The point is reached, and the kill is proven. */
export function killAt(
  point: EventOf<'kill-armed'>['point'],
  incarnation: number,
  attempt: number,
): readonly ObservedEvent[] {
  const pid = 100 + incarnation;
  return [
    ...standAt(point, incarnation, attempt),
    { type: 'kill-sent', incarnation, pid, signal: 'SIGKILL' },
    { type: 'exited', incarnation, pid, code: null, signal: 'SIGKILL' },
    { type: 'survivors', incarnation, pids: [] },
    { type: 'drained', incarnation, complete: true },
  ];
}

/** What stood still goes on; it was stopped where it was `paused`. */
export function goOn(incarnation: number, paused: boolean): readonly ObservedEvent[] {
  const pid = 100 + incarnation;
  const resumed: ObservedEvent = { type: 'resumed', incarnation, pid };
  return [...(paused ? [resumed] : []), { type: 'sent', incarnation, message: { type: 'go' } }];
}

/** A recovery from beginning to end. */
export function recover(
  incarnation: number,
  id: number,
  meanwhile: readonly ObservedEvent[] = [],
): readonly ObservedEvent[] {
  return [
    { type: 'sent', incarnation, message: { type: 'recover', id } },
    ...meanwhile,
    { type: 'said', incarnation, message: { type: 'done', re: id } },
  ];
}

export function exit(incarnation: number): ObservedEvent {
  return { type: 'exited', incarnation, pid: 100 + incarnation, code: 0, signal: null };
}

export function submit(incarnation: number, id: number, request: JsonObject): ObservedEvent {
  const message = { type: 'submit', id, requestId: `request-${id}`, request, premises: [] };
  return { type: 'sent', incarnation, message };
}

export function answer(
  incarnation: number,
  id: number,
  ending: Ending,
  attempts: number,
): ObservedEvent {
  const message = { type: 'outcome', re: id, ...outcomeOf(ending, attempts) } as const;
  return { type: 'said', incarnation, message };
}

export function effect(
  entityId: string,
  amountMinor = 2000,
): EventOf<'journal'>['effects'][number] {
  return {
    entityId,
    stamp: 'key-1',
    actor: 'subject',
    subject: 'pay_1',
    substance: { amountMinor, currency: 'usd' },
    atMs: 0,
  };
}

/** Wire and rail fall silent, the gate is asked, the journal is read. */
export function observe(
  observation: 'O1' | 'O2',
  incarnation: number,
  ending: Ending,
  attempts: number,
): readonly ObservedEvent[] {
  const outcome = outcomeOf(ending, attempts);
  const id = observation === 'O1' ? 80 : 81;
  const ours = Array.from({ length: ending.effects }, (_, index) => effect(`re_${index + 1}`));
  return [
    { type: 'settled', observation, complete: true, openOnWire: 0, railIdle: true },
    { type: 'phase', phase: observation },
    { type: 'sent', incarnation, message: { type: 'ask', id } },
    { type: 'said', incarnation, message: { type: 'outcome', re: id, ...outcome } },
    { type: 'observed', observation, incarnation, outcome },
    { type: 'journal', observation, effects: [{ ...effect('re_0'), actor: 'person' }, ...ours] },
  ];
}

/** What a gate that tells the truth says of an ending. */
export function outcomeOf({ claim }: Ending, attempts: number): Outcome {
  const words = outcomeWords[claim];
  const entityId = claim === 'H' ? 're_1' : null;
  return {
    outcome: words.outcome,
    disposition: words.disposition,
    final: claim === 'H',
    state: words.state,
    entityId,
    attempts,
    evidence: words.evidence,
    receipt: {
      decisionKey: 'key-1',
      payloadHash: 'hash-1',
      state: words.state,
      entityId,
      facts: {
        proposed: true,
        authorized: claim !== 'R',
        executed: words.executed,
        recorded: true,
      },
      chainSeq: 1,
      chainHash: 'chain-1',
    },
  };
}

const outcomeWords = {
  H: {
    outcome: 'happened',
    disposition: 'settled',
    state: 'APPLIED',
    executed: 'yes',
    evidence: 'the service said so',
  },
  A: {
    outcome: 'absent',
    disposition: 'settled',
    state: 'PROPOSED',
    executed: 'no',
    evidence: 'nothing was sent',
  },
  R: {
    outcome: 'refused',
    disposition: 'settled',
    state: 'BLOCKED',
    executed: 'no',
    evidence: 'another amount',
  },
  U: {
    outcome: 'unknown',
    disposition: 'surfaced',
    state: 'AMBIGUOUS',
    executed: 'unknown',
    evidence: 'no answer came',
  },
  W: {
    outcome: 'unknown',
    disposition: 'working',
    state: 'IN_FLIGHT',
    executed: 'unknown',
    evidence: 'owned, alive',
  },
} as const satisfies Record<Claim, object>;

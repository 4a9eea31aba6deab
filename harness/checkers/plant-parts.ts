/** The parts of a planted history that are no requests: what the harness sends and the subject says. */
import type { JsonObject } from '../../adapters/target.ts';
import type { Outcome } from '../../gate/gate.ts';
import type { Ending } from '../model/expectation.ts';
import type { ObservedEvent } from '../model/history.ts';
import { announcedPointOf } from '../model/kill-points.ts';
import { effect, outcomeOf, secondEffect, secondOutcome } from './plant-outcomes.ts';
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
  const by = announced !== null ? 'announced' : point === 'during_call:running' ? 'rail' : 'wire';
  return [...said, { type: 'point-reached', incarnation, point, by }];
}

/** The point is reached, and the kill is proven. */
export function killAt(
  point: EventOf<'kill-armed'>['point'],
  incarnation: number,
  attempt: number,
): readonly ObservedEvent[] {
  const pid = 100 + incarnation;
  // What the service stands still over is still open on the wire.
  const drained: readonly ObservedEvent[] =
    point === 'during_call:running' ? [] : [{ type: 'drained', incarnation, complete: true }];
  return [
    ...standAt(point, incarnation, attempt),
    { type: 'kill-sent', incarnation, pid, signal: 'SIGKILL' },
    { type: 'exited', incarnation, pid, code: null, signal: 'SIGKILL' },
    { type: 'survivors', incarnation, pids: [] },
    ...drained,
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

/** `requestId`: the message's own unless it is one that was used before. */
export function submit(
  incarnation: number,
  id: number,
  request: JsonObject,
  { requestId = `request-${id}` }: { readonly requestId?: string } = {},
): ObservedEvent {
  const message = { type: 'submit', id, requestId, request, premises: [] };
  return { type: 'sent', incarnation, message };
}

/** A second decision, by the harness's own label. */
export function submitSecond(incarnation: number, request: JsonObject): ObservedEvent {
  const message = {
    type: 'submit',
    id: secondId,
    requestId: `request-${secondId}`,
    request,
    premises: [],
  };
  return { type: 'sent', incarnation, message, decision: 'second' };
}

/** The message that asks for a second decision. */
export const secondId = 20;

export function answer(
  incarnation: number,
  id: number,
  ending: Ending,
  attempts: number,
): ObservedEvent {
  return answerWith(incarnation, id, outcomeOf(ending, attempts));
}

export function answerWith(incarnation: number, id: number, outcome: Outcome): ObservedEvent {
  return { type: 'said', incarnation, message: { type: 'outcome', re: id, ...outcome } };
}

export interface Observing {
  readonly observation: 'O1' | 'O2';
  readonly incarnation: number;
  readonly ending: Ending;
  readonly attempts: number;
  /** Of the second decision; null where nobody asks about one. */
  readonly second: { readonly ending: Ending; readonly attempts: number } | null;
  /** What other people made, besides the positive control. */
  readonly byOthers: EventOf<'journal'>['effects'];
}

/** Wire and rail fall silent, the gate is asked, the journal is read. */
export function observe(observing: Observing): readonly ObservedEvent[] {
  const { observation, incarnation, ending, attempts, second, byOthers } = observing;
  const control = { ...effect('re_0'), actor: 'person' } as const;
  const ours = Array.from({ length: ending.effects }, (_, index) => effect(`re_${index + 1}`));
  const ofSecond = (second?.ending.effects ?? 0) > 0 ? [secondEffect] : [];
  return [
    { type: 'settled', observation, complete: true, openOnWire: 0, railIdle: true },
    { type: 'phase', phase: observation },
    ...ask(observation, incarnation, outcomeOf(ending, attempts)),
    ...(second === null
      ? []
      : ask('second', incarnation, secondOutcome(second.ending, second.attempts))),
    { type: 'journal', observation, effects: [control, ...byOthers, ...ours, ...ofSecond] },
  ];
}

function ask(
  observation: EventOf<'observed'>['observation'],
  incarnation: number,
  outcome: Outcome,
): readonly ObservedEvent[] {
  const id = { O1: 80, O2: 81, second: 82 }[observation];
  return [
    { type: 'sent', incarnation, message: { type: 'ask', id } },
    answerWith(incarnation, id, outcome),
    { type: 'observed', observation, incarnation, outcome: outcome },
  ];
}

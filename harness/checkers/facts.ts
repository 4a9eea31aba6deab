/**
 * What the checkers read: a trial's spec and history turned into named facts. Pure; no clock, no
 * I/O, no judgement. The order of two events is used only where one can have caused the other (same
 * process, same request, or on two sides of a phase of the trial), so that the same trial seen in
 * another interleaving gives the same facts.
 */
import type { z } from 'zod';
import type { JsonObject } from '../../adapters/target.ts';
import type { Outcome } from '../../gate/gate.ts';
import { type Claim, type Ending, type Expectation, expectScenario } from '../model/expectation.ts';
import type { History, journalEffectSchema } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { type Invitation, readInvitations, readSubmits, type Submit } from './messages.ts';
import { readRequests, type WireRequest } from './requests.ts';
import { eventsOf, placeInPhases, type Seen } from './seen.ts';

export type JournalEffect = z.infer<typeof journalEffectSchema>;

/** `second` is the second decision at the end, where the caller asked for one. */
export const observationNames = ['O1', 'O2', 'second'] as const;
export type ObservationName = (typeof observationNames)[number];

/** The gate's word and the journal side by side. */
export interface Observation {
  readonly name: ObservationName;
  /** Whether the harness asked and recorded what came. */
  readonly asked: boolean;
  /** Null when the subject was not asked, or did not answer within its bound. */
  readonly outcome: Outcome | null;
  /** What the outcome amounts to; null without an answer and for an unknown that nobody is said to be on. */
  readonly claim: Claim | null;
  /** The subject's own effects for this decision, oldest first; null when the journal was not read. */
  readonly effects: readonly JournalEffect[] | null;
  /** Effects of other people's, without the positive control; null when the journal was not read. */
  readonly byOthers: readonly JournalEffect[] | null;
  /** When the trial entered the observation's phase; null when it never did. */
  readonly stage: number | null;
  /** Endings the expectation allows here; empty where a sound gate can't come. */
  readonly allowed: readonly Ending[];
  /** Numbers of the events this rests on. */
  readonly events: readonly number[];
}

export interface Facts {
  readonly complete: boolean;
  readonly gap: string | null;
  readonly events: readonly Seen[];
  readonly expectation: Expectation;
  readonly observations: Readonly<Record<ObservationName, Observation>>;
  /** For the first decision, in the order they were sent; the first is the decision as it was first asked for. */
  readonly submits: readonly Submit[];
  /** What the second decision was first asked for as; null where nobody asked for one. */
  readonly secondRequest: JsonObject | null;
  readonly invitations: readonly Invitation[];
  /** Every request the wire saw begin. */
  readonly requests: readonly WireRequest[];
}

export function readFacts(spec: TrialSpec, history: History): Facts {
  const events = placeInPhases(history);
  const expectation = expectScenario(spec.declaration, spec.cell);
  const reachable = expectation.kind === 'reachable';
  const submits = readSubmits(events);
  return {
    complete: history.complete,
    gap: history.gap,
    events,
    expectation,
    observations: readObservations(events, {
      O1: reachable ? expectation.o1 : [],
      O2: reachable ? expectation.o2 : [],
      second: reachable ? expectation.second : [],
    }),
    submits: submits.filter(({ decision }) => decision === 'first'),
    secondRequest: submits.find(({ decision }) => decision === 'second')?.request ?? null,
    invitations: readInvitations(events),
    requests: readRequests(events),
  };
}

/** `allowed`: the endings the expectation allows; none where nothing is asked but what came. */
export function readObservations(
  events: readonly Seen[],
  allowed: Readonly<Record<ObservationName, readonly Ending[]>> = { O1: [], O2: [], second: [] },
): Facts['observations'] {
  const o2 = readObservation(events, 'O2', allowed.O2);
  const second = readSecond(events, o2, allowed.second);
  return {
    O1: readObservation(events, 'O1', allowed.O1),
    O2: without(o2, second.effects ?? []),
    second,
  };
}

/** Whether either journal that was read holds an effect of the subject's for the first decision. */
export function everHeldEffect(facts: Facts): boolean {
  const { O1, O2 } = facts.observations;
  return [O1, O2].some(({ effects }) => (effects ?? []).length > 0);
}

/** Attempts the gate knows of by then, of every decision it was asked for; null without an answer. */
export function attemptsKnown(facts: Facts, name: ObservationName): number | null {
  const { O1, O2, second } = facts.observations;
  if (name === 'O1') return O1.outcome?.attempts ?? null;
  const isDue = second.asked || second.allowed.length > 0;
  if (O2.outcome === null || (isDue && second.outcome === null)) return null;
  return O2.outcome.attempts + (second.outcome?.attempts ?? 0) + attemptsForInvented(facts);
}

/** What was asked for with a reason of its own has attempts of its own; only its caller was told how many. */
function attemptsForInvented({ submits }: Facts): number {
  const [first] = submits;
  const told = submits
    .filter(({ request }) => !sameJson(reasonOf(request), reasonOf(first?.request ?? {})))
    .map(({ answer }) => answer?.outcome.attempts ?? 0);
  return Math.max(0, ...told);
}

function reasonOf({ distinct }: JsonObject): unknown {
  return distinct ?? null;
}

/**
 * What an outcome amounts to. Whatever waits for a person is U, an unknown that somebody alive is on is
 * W; an unknown that is neither is no claim.
 */
export function claimOf(outcome: Outcome): Claim | null {
  if (outcome.disposition === 'surfaced') return 'U';
  switch (outcome.outcome) {
    case 'happened':
      return 'H';
    case 'absent':
      return 'A';
    case 'refused':
      return 'R';
    case 'unknown':
      return outcome.disposition === 'working' ? 'W' : null;
    default:
      return outcome.outcome satisfies never;
  }
}

/** `unknown, surfaced`, as messages name an outcome. */
export function formatOutcome(outcome: Outcome): string {
  return `${outcome.outcome}, ${outcome.disposition}`;
}

/** `no effect`, `1 effect (re_1)`, `2 effects (re_1, re_2)`. */
export function formatEffects(effects: readonly JournalEffect[]): string {
  if (effects.length === 0) return 'no effect';
  const ids = effects.map((effect) => effect.entityId).join(', ');
  return `${effects.length} effect${effects.length === 1 ? '' : 's'} (${ids})`;
}

/** The same JSON value, whatever the order of its keys. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index]))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A second decision has the journal of O2. Which of two effects of equal substance is whose only the gate
 * can say, by naming it; how many there are is the journal's word.
 */
function readSecond(
  events: readonly Seen[],
  o2: Observation,
  allowed: readonly Ending[],
): Observation {
  const observed = eventsOf({ events }, 'observed')
    .filter((seen) => seen.event.observation === 'second')
    .at(-1);
  const outcome = observed?.event.outcome ?? null;
  const isDue = observed !== undefined || allowed.length > 0;
  return {
    name: 'second',
    asked: observed !== undefined,
    outcome,
    claim: outcome === null ? null : claimOf(outcome),
    effects: isDue && o2.effects !== null ? effectsOfSecond(outcome, o2) : null,
    byOthers: o2.byOthers,
    stage: o2.stage,
    allowed,
    events: [...(observed === undefined ? [] : [observed.n]), ...o2.events],
  };
}

/** Without a word of the gate's, one that it does not name as the first's may be the second's. */
function effectsOfSecond(outcome: Outcome | null, o2: Observation): readonly JournalEffect[] {
  if (outcome !== null && outcome.outcome !== 'happened') return [];
  const entityId = outcome?.entityId ?? null;
  const others = (o2.effects ?? []).filter((effect) => effect.entityId !== o2.outcome?.entityId);
  const own =
    entityId === null ? others.at(-1) : others.find((effect) => effect.entityId === entityId);
  return own === undefined ? [] : [own];
}

function without(observation: Observation, effects: readonly JournalEffect[]): Observation {
  const rest = observation.effects?.filter((effect) => !effects.includes(effect)) ?? null;
  return { ...observation, effects: rest };
}

function readObservation(
  events: readonly Seen[],
  name: 'O1' | 'O2',
  allowed: readonly Ending[],
): Observation {
  const observed = eventsOf({ events }, 'observed')
    .filter((seen) => seen.event.observation === name)
    .at(-1);
  const journal = eventsOf({ events }, 'journal')
    .filter((seen) => seen.event.observation === name)
    .at(-1);
  const outcome = observed?.event.outcome ?? null;
  const control = eventsOf({ events }, 'control')[0]?.event.entityId;
  return {
    name,
    asked: observed !== undefined,
    outcome,
    claim: outcome === null ? null : claimOf(outcome),
    effects: journal?.event.effects.filter((effect) => effect.actor === 'subject') ?? null,
    byOthers:
      journal?.event.effects.filter(
        ({ actor, entityId }) => actor === 'person' && entityId !== control,
      ) ?? null,
    stage: eventsOf({ events }, 'phase').find((seen) => seen.event.phase === name)?.stage ?? null,
    allowed,
    events: [observed, journal].flatMap((seen) => (seen === undefined ? [] : [seen.n])),
  };
}

/**
 * What is worth knowing of a trial besides its findings: how the subject misbehaved without breaking a
 * promise, and where it ended when that is not where the table puts it. Pure; a note changes no verdict.
 */
import { formatEndings } from '../model/expectation.ts';
import { nonsenseQuotedMost } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { type Facts, type Observation, observationNames } from './facts.ts';
import { eventsOf } from './seen.ts';

/** Lines that are no messages, and floods: they bind nobody, and a reader should know of them. */
export function misbehaviourNotes(facts: Facts): readonly string[] {
  const misbehaved = eventsOf(facts, 'subject-misbehaved').map(({ event }) => event);
  const nonsense = misbehaved.filter(({ what }) => what === 'nonsense');
  const floods = misbehaved.filter(({ what }) => what === 'flood').map(({ detail }) => detail);
  return [
    ...(nonsense.length === 0 ? [] : [nonsenseNote(nonsense)]),
    ...[...new Set(floods)].map((detail) => {
      const count = floods.filter((other) => other === detail).length;
      return `the subject flooded ${times(count)}: ${detail}`;
    }),
  ];
}

/** For a trial without any finding; empty for a gate that is known to lack a rule. */
export function endingNotes(spec: TrialSpec, facts: Facts): readonly string[] {
  if (spec.gate.lacks.length > 0 || facts.expectation.kind !== 'reachable') return [];
  const { o1, o2, second } = facts.expectation;
  const asksForSecond = second.length > 0;
  const reached = observationNames
    .filter((name) => name !== 'second' || asksForSecond)
    .map((name) => facts.observations[name]);
  // One that can't be asked ended at effects alone, and those the checkers judge.
  if (reached.every(({ asked }) => !asked) || reached.every(isAllowed)) return [];
  const ended = reached.map(formatReached).join('→');
  const demanded = [o1, o2, ...(asksForSecond ? [second] : [])].map(formatEndings).join('→');
  return [`ended at ${ended} where ${demanded} is demanded; no promise was broken`];
}

/** A history quotes so many lines of one lifetime and no more, so that a full count is a lower bound. */
function nonsenseNote(events: readonly { readonly incarnation: number }[]): string {
  const isCapped = events.some(
    ({ incarnation }) =>
      events.filter((other) => other.incarnation === incarnation).length >= nonsenseQuotedMost,
  );
  return `the subject spoke nonsense ${isCapped ? 'at least ' : ''}${times(events.length)}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function isAllowed({ allowed, claim, effects }: Observation): boolean {
  return allowed.some((ending) => ending.claim === claim && ending.effects === effects?.length);
}

function formatReached({ claim, effects }: Observation): string {
  return `${claim ?? '?'}${effects?.length ?? '?'}`;
}

/**
 * Never unknown: after recovery an outcome is known or waits for a person, and the subject answers.
 * Only where somebody alive stands still over it may it be said that he is still at work.
 * A hang after a proven kill is this violation and no excuse; before one it says nothing about
 * recovery, so the kill's proof is asked first.
 */
import type { Checker } from './checker.ts';
import { type Facts, formatOutcome, observationNames } from './facts.ts';
import { hangsAfterKill } from './hangs.ts';
import { killMissed } from './kill-missed.ts';

export const unknownAfterRecovery: Checker = {
  finding: 'unknown-after-recovery',
  check: (spec, facts) => {
    const killProven = killMissed.check(spec, facts).length === 0;
    return [...leftUnknown(facts), ...(killProven ? leftSilent(facts) : [])];
  },
};

function leftUnknown(facts: Facts) {
  return observationNames.flatMap((name) => {
    const { outcome, claim, allowed, events } = facts.observations[name];
    if (claim === 'W' && allowed.some((ending) => ending.claim === 'W')) return [];
    if (outcome?.outcome !== 'unknown' || outcome.disposition === 'surfaced') return [];
    const message = `at ${name} expected an outcome, or an unknown that is surfaced to a person, the gate says ${formatOutcome(outcome)}`;
    return [{ finding: 'unknown-after-recovery', message, events } as const];
  });
}

function leftSilent(facts: Facts) {
  const unanswered = observationNames.flatMap((name) => {
    const { asked, outcome, events } = facts.observations[name];
    if (!asked || outcome !== null) return [];
    const message = `at ${name} expected an answer within the bound, none came`;
    return [{ finding: 'unknown-after-recovery', message, events } as const];
  });
  const hangs = hangsAfterKill(facts).map((seen) => {
    const { incarnation, what, detail } = seen.event;
    const message = `incarnation ${incarnation} was expected to recover and answer, got "${what}": ${detail}`;
    return { finding: 'unknown-after-recovery', message, events: [seen.n] } as const;
  });
  return [...unanswered, ...hangs];
}

/** An effect that is there is never denied: not absent, not refused, not without a record. */
import type { Outcome } from '../../gate/gate.ts';
import type { Checker } from './checker.ts';
import { formatEffects, formatOutcome, observationNames } from './facts.ts';

export const silentLoss: Checker = {
  finding: 'silent-loss',
  check: (_spec, facts) =>
    observationNames.flatMap((name) => {
      const { effects, outcome, events } = facts.observations[name];
      if (effects === null || effects.length === 0 || outcome === null) return [];
      const denial = denialOf(outcome);
      if (denial === null) return [];
      const message = `at ${name} the journal holds ${formatEffects(effects)}, the gate ${denial}`;
      return [{ finding: 'silent-loss', message, events }];
    }),
};

function denialOf(outcome: Outcome): string | null {
  if (outcome.outcome === 'absent' || outcome.outcome === 'refused') {
    return `says ${formatOutcome(outcome)}`;
  }
  return outcome.state === null ? 'has no record of the intent' : null;
}

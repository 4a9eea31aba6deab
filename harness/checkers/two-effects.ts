/** Never two: one decision has at most one effect of the subject's in the journal. */
import type { Checker } from './checker.ts';
import { formatEffects, observationNames } from './facts.ts';

export const twoEffects: Checker = {
  finding: 'two-effects',
  check: (_spec, facts) =>
    observationNames.flatMap((name) => {
      const { effects, events } = facts.observations[name];
      if (effects === null || effects.length <= 1) return [];
      const message = `at ${name} expected at most 1 effect for one decision, the journal holds ${formatEffects(effects)}`;
      return [{ finding: 'two-effects', message, events }];
    }),
};

/** What is allowed, decided and asked for again is there in the end. */
import { formatEndings } from '../model/expectation.ts';
import type { Checker } from './checker.ts';

export const lostEffect: Checker = {
  finding: 'lost-effect',
  check: (_spec, facts) => {
    const { allowed, effects, events } = facts.observations.O2;
    const demanded = allowed.length > 0 && allowed.every((ending) => ending.effects >= 1);
    if (!demanded || effects === null || effects.length > 0) return [];
    const message = `at O2 expected ${formatEndings(allowed)}, the journal holds no effect`;
    return [{ finding: 'lost-effect', message, events }];
  },
};

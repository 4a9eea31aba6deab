/** Nothing leaves once a fact it relies on has changed. */
import type { Checker } from './checker.ts';
import { sentAfterChange } from './sent-after-change.ts';

export const stalePremise: Checker = {
  finding: 'stale-premise',
  check: (spec, facts) =>
    sentAfterChange(spec, facts, {
      ended: 'premises',
      finding: 'stale-premise',
      what: 'a premise is stale',
    }),
};

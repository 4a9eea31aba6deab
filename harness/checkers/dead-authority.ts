/** Nothing leaves once the authority for it has ended: revoked, expired, or out of reach. */
import type { Checker } from './checker.ts';
import { sentAfterChange } from './sent-after-change.ts';

export const deadAuthority: Checker = {
  finding: 'dead-authority',
  check: (spec, facts) =>
    sentAfterChange(spec, facts, {
      ended: 'authority',
      finding: 'dead-authority',
      what: 'the authority is gone',
    }),
};

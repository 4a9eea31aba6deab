/** What a checker is: one promise, judged from the spec and the facts of a history and nothing else. */
import type { Finding, FindingName, MissName } from '../model/findings.ts';
import type { TrialSpec } from '../model/trial.ts';
import type { Facts } from './facts.ts';

export interface Checker {
  readonly finding: FindingName | MissName;
  /** Empty when the promise was kept. Must not throw, and must not look at anything else. */
  readonly check: (spec: TrialSpec, facts: Facts) => readonly Finding[];
  /** Worth knowing and no finding; absent where there never is any. */
  readonly notes?: (spec: TrialSpec, facts: Facts) => readonly string[];
}

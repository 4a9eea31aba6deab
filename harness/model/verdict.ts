/** What the checkers say of a trial. */
import type { Finding } from './findings.ts';

export const verdictNames = ['holds', 'violated', 'inconclusive', 'not-run', 'excluded'] as const;

/** The judgement of a trial that ran. */
export interface Verdict {
  /** Inconclusive goes before violated: a trial that proved nothing can't condemn either. */
  readonly verdict: 'holds' | 'violated' | 'inconclusive';
  /** Broken promises and reasons for having proved nothing. */
  readonly findings: readonly Finding[];
  /** Worth knowing and no finding, e.g. a repeat under a constant key in its window. */
  readonly notes: readonly string[];
  /** True when the findings are exactly the expected ones and none is a miss. */
  readonly meetsExpectation: boolean;
}

/** What one lease allows is not exceeded by two decisions together, however they race. */
import type { Checker } from './checker.ts';
import type { Facts } from './facts.ts';

export const overCap: Checker = {
  finding: 'over-cap',
  check: (_spec, facts) => {
    const together = effectsTogether(facts);
    if (together === null || together.count <= together.most) return [];
    const message = `at O2 expected at most ${together.most} effect of two decisions under one cap, the journal holds ${together.count}`;
    return [{ finding: 'over-cap', message, events: together.events }];
  },
};

export interface Together {
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly events: readonly number[];
}

/** The effects of both decisions at the end; null where no cap binds them, or the journal was not read. */
export function effectsTogether({ expectation, observations }: Facts): Together | null {
  if (expectation.kind !== 'reachable' || expectation.together === null) return null;
  const { O2, second } = observations;
  if (O2.effects === null) return null;
  const count = O2.effects.length + (second.effects?.length ?? 0);
  return { count, ...expectation.together, events: O2.events };
}

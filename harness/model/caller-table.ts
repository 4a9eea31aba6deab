/**
 * What the caller does after the restart, as data. The expectation, the trial and the checkers read
 * it; `again` and `second` say of which decision there is something to expect.
 */
export interface CallerFacts {
  readonly meaning: string;
  /** The recorded request is asked for again. */
  readonly again: boolean;
  /** A second decision of equal substance is asked for: after the first, or racing with it under a cap. */
  readonly second: 'none' | 'after' | 'racing';
  /** Several processes ask at the same time. */
  readonly together: boolean;
}

export const callerTable = {
  'same-again': facts('the same request is sent again, under its old id', { again: true }),
  'fresh-id': facts('the same decision is asked for under a new request id', { again: true }),
  'changed-amount': facts('the same decision is asked for with another amount', {}),
  storm: facts('five times the same at once, from three processes', {
    again: true,
    together: true,
  }),
  'second-session': facts('another process asks for the same at the same time', {
    again: true,
    together: true,
  }),
  'second-legitimate': facts(
    'the same again, and then a second approved effect of equal substance',
    {
      again: true,
      second: 'after',
    },
  ),
  'invented-reason': facts('a second effect for a reason that no lease covers', {}),
  'gives-up': facts('nobody asks again', {}),
  'over-cap': facts(
    'two that fit under the cap alone and not together, from two processes at once',
    {
      again: true,
      second: 'racing',
      together: true,
    },
  ),
} as const satisfies Readonly<Record<string, CallerFacts>>;

export type CallerBehaviour = keyof typeof callerTable;
export const callerBehaviours = Object.keys(callerTable) as readonly CallerBehaviour[] as readonly [
  CallerBehaviour,
  ...CallerBehaviour[],
];

export function callerFacts(caller: CallerBehaviour): CallerFacts {
  return callerTable[caller];
}

function facts(meaning: string, more: Partial<Omit<CallerFacts, 'meaning'>>): CallerFacts {
  return { meaning, again: false, second: 'none', together: false, ...more };
}

/** What a gate claims and the journal holds at the end, and how such endings are put together. */
/** H happened, A absent, R refused, U unknown and surfaced, W unknown while somebody alive is on it. */
export type Claim = 'H' | 'A' | 'R' | 'U' | 'W';

/** What the gate claims and how many effects the journal holds. */
export interface Ending {
  readonly claim: Claim;
  readonly effects: number;
}

/** `H1`, or `A0 or H1` where two are allowed. */
export function formatEndings(endings: readonly Ending[]): string {
  return endings.map((ending) => `${ending.claim}${ending.effects}`).join(' or ');
}

export const happened: Ending = { claim: 'H', effects: 1 };
export const absent: Ending = { claim: 'A', effects: 0 };
export const refused: Ending = { claim: 'R', effects: 0 };

export function isAbsent(ending: Ending): boolean {
  return ending.claim === 'A';
}

export function union(left: readonly Ending[], right: readonly Ending[]): readonly Ending[] {
  const all = [...left, ...right];
  return all.filter(
    (ending, index) =>
      all.findIndex((other) => formatEndings([other]) === formatEndings([ending])) === index,
  );
}

export function cannotMeet(why: string): { kind: 'cannot-meet'; why: string } {
  return { kind: 'cannot-meet', why };
}

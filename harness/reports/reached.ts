/** What a trial reached and what was demanded of it, in the notation of the demanded table. */
import { type Claim, formatEndings } from '../model/expectation.ts';
import type { TrialRecord } from '../model/results.ts';

type Observation = NonNullable<TrialRecord['o1']>;

/** `H1`; `U!1` for an unknown that waits for nobody; `?` where the subject or the journal said nothing. */
export function formatReached(observation: Observation | null): string {
  if (observation === null || observation.effects === null) return '?';
  if (observation.outcome === null) return `?${observation.effects}`;
  const { outcome, disposition } = observation.outcome;
  if (outcome === 'unknown' && disposition === 'working') return `W${observation.effects}`;
  if (outcome === 'unknown' && disposition !== 'surfaced') return `U!${observation.effects}`;
  return formatEndings([{ claim: claimOf(outcome), effects: observation.effects }]);
}

/** `H1→H1`: after recovery, and after the caller's behaviour; `A0→H1+H1` with a second decision. */
export function formatReachedPair(record: TrialRecord): string {
  const second = record.second === null ? '' : `+${formatReached(record.second)}`;
  return `${formatReached(record.o1)}→${formatReached(record.o2)}${second}`;
}

/** `A0→H1`, or null where no sound gate can come into this cell. */
export function formatDemandedPair(record: TrialRecord): string | null {
  if (record.demandedO1 === null || record.demandedO2 === null) return null;
  const second = record.demandedSecond === null ? '' : ` + ${record.demandedSecond}`;
  return `${record.demandedO1}→${record.demandedO2}${second}`;
}

/** Whether both observations are among the demanded ones. */
export function isAsDemanded(record: TrialRecord): boolean {
  return (
    isOneOf(record.demandedO1, formatReached(record.o1)) &&
    isOneOf(record.demandedO2, formatReached(record.o2)) &&
    (record.demandedSecond === null || isOneOf(record.demandedSecond, formatReached(record.second)))
  );
}

export const notation =
  'H happened, A absent, R refused, U unknown and waiting for a person, W unknown while somebody alive is said to be on it; the digit is the number of effects in the service’s journal; before the arrow after recovery, behind it after the caller asked again, behind a plus a second decision.';

function isOneOf(demanded: string | null, reached: string): boolean {
  return demanded?.split(' or ').includes(reached) === true;
}

function claimOf(outcome: NonNullable<Observation['outcome']>['outcome']): Claim {
  switch (outcome) {
    case 'happened':
      return 'H';
    case 'absent':
      return 'A';
    case 'refused':
      return 'R';
    case 'unknown':
      return 'U';
    default:
      return outcome satisfies never;
  }
}

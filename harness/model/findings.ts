/**
 * The promises, each with the name of the finding that says it was broken. Reports and docs are
 * rendered from this table.
 */

export const findingNames = [
  'two-effects',
  'lost-effect',
  'unknown-after-recovery',
  'needless-ambiguity',
  'needless-refusal',
  'guessed',
  'silent-loss',
  'phantom',
  'wrong-entity',
  'wrong-substance',
  'dead-authority',
  'stale-premise',
  'over-cap',
  'sent-before-recorded',
  'sent-before-durable',
  'hidden-retry',
  'sent-uninvited',
  'over-budget',
  'settled-changed',
  'receipt-false',
] as const;
export type FindingName = (typeof findingNames)[number];

/** What makes a trial inconclusive: it proved nothing. */
export const missNames = [
  'kill-missed',
  'fault-missed',
  'world-missed',
  'control-missed',
  'evidence-cut',
] as const;
export type MissName = (typeof missNames)[number];

/** What each broken promise means, in one line a newcomer can read. */
export const findingMeanings: Readonly<Record<FindingName | MissName, string>> = {
  'two-effects': 'the journal holds more than one effect of the subject for one decision',
  'lost-effect':
    'the effect had to be there after the caller asked again, and the journal has none',
  'unknown-after-recovery':
    'recovery is done and the outcome is unknown without waiting for a person, or the subject hung',
  'needless-ambiguity': 'surfaced to a person although the evidence at hand decided it',
  'needless-refusal': 'refused although nothing stood against it',
  guessed: 'settled where the evidence at hand could not decide it',
  'silent-loss':
    'the journal holds the effect and the gate says absent or refused, or has no record',
  phantom: 'the gate says it happened and the journal never held it',
  'wrong-entity': 'the recorded entity is not the one this intent made',
  'wrong-substance':
    'what took effect, or what the caller was told took effect, differs from what was recorded first',
  'dead-authority': 'a mutating request left after the authority for it had ended',
  'stale-premise': 'a mutating request left after a fact it relied on had changed',
  'over-cap': 'effects under one lease add up to more than it allows',
  'sent-before-recorded': 'a mutating request was on the wire with no attempt in the ledger',
  'sent-before-durable': 'a mutating request was on the wire before the attempt was synced to disk',
  'hidden-retry': 'more than one mutating request within one attempt',
  'sent-uninvited':
    'a send after recovery was done, without a submit, or beside a process that stands still and owns the work',
  'over-budget':
    'over all its lifetimes recovery asks the service more often than the gate says it does before a person is asked',
  'settled-changed': 'a settled outcome changed later',
  'receipt-false': 'a receipt does not verify or says what the journal contradicts',
  'kill-missed':
    'the kill was not proved: it did not hit the named point, or something survived it',
  'fault-missed': 'the fault was armed and did not take effect',
  'world-missed': 'what was to change during the outage did not, or something else did',
  'control-missed':
    "an effect made by the harness itself was not read back from the service's journal",
  'evidence-cut': 'the history is incomplete',
};

/** One broken promise in one trial, or one reason why the trial proved nothing. */
export interface Finding<Name extends string = FindingName | MissName> {
  readonly finding: Name;
  /** What was expected, what came. */
  readonly message: string;
  /** Numbers of the history's events this rests on. */
  readonly events: readonly number[];
}

export function isMiss(name: FindingName | MissName): name is MissName {
  return (missNames as readonly string[]).includes(name);
}

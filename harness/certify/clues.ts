/**
 * Which pattern of findings speaks for which missing rule, as data. Each clue is read in one trial: what
 * was found in it, where it was killed, what went wrong, and what the service can do. Two rules that
 * look the same from outside both stand in it, the likelier with the greater weight.
 */
import type { RuleName } from '../model/rules.ts';
import {
  both,
  type Condition,
  caller,
  canBeAsked,
  dedupes,
  faulted,
  found,
  killed,
  not,
  paused,
  saidWorking,
  sameAsk,
  world,
} from './conditions.ts';

export interface Clue {
  readonly rule: RuleName;
  /** How surely it speaks for this rule, from 1 to 10: nothing else does at 10. */
  readonly weight: number;
  readonly because: string;
  readonly matches: Condition;
}

function clue(
  rule: RuleName,
  weight: number,
  because: string,
  ...parts: readonly Condition[]
): Clue {
  return { rule, weight, because, matches: both(...parts) };
}

export const clues: readonly Clue[] = [
  clue(
    'recorded-first',
    10,
    'a request was on the wire that its ledger knew nothing of',
    found('sent-before-recorded'),
  ),
  clue(
    'caps-reserved',
    10,
    'two decisions went out that only fit under the cap alone',
    found('over-cap'),
  ),
  clue(
    'authority-rechecked',
    10,
    'a request left after the lease had ended',
    found('dead-authority'),
  ),
  clue(
    'premises-rechecked',
    10,
    'a request left after a fact it relied on had changed',
    found('stale-premise'),
  ),
  clue(
    'budget-durable',
    10,
    'it went on looking beyond its own budget once it had been restarted',
    found('over-budget'),
  ),
  clue('owner-proven-dead', 9, 'a process that only stood still lost what it owned', paused),
  clue(
    'payload-bound',
    9,
    'another substance was answered or performed under a recorded decision',
    found('wrong-substance'),
    caller('changed-amount'),
  ),
  clue(
    'reason-covered',
    9,
    'a reason that no lease covers let a second effect happen',
    found('two-effects'),
    caller('invented-reason'),
  ),
  clue(
    'distinct-kept',
    9,
    'a second lawful decision had no effect',
    found('lost-effect'),
    caller('second-legitimate'),
  ),
  clue(
    'window-kept',
    9,
    'the key was sent again when the service had forgotten it',
    found('two-effects'),
    world('long-outage', 'outage-in-window'),
  ),
  clue(
    'refusal-proven',
    9,
    'a refusal of one attempt was taken for the end of all',
    found('silent-loss'),
    faulted('refused-'),
  ),
  clue(
    'lookup-error-unknown',
    9,
    'a lookup that failed was taken for one that found nothing',
    faulted('lookup-', 'partition'),
    (condemned) =>
      condemned.cell.fault.fault !== 'none' &&
      condemned.cell.fault.phase === 'look' &&
      (found('silent-loss')(condemned) ||
        found('guessed')(condemned) ||
        found('two-effects')(condemned)),
  ),
  clue(
    'tombstone-known',
    8,
    'nothing but its own fence was there, and it said that it happened',
    found('phantom'),
    ({ situation }) => situation.inRecovery === 'fence',
  ),
  clue('settled-stays', 8, 'what it had settled was another thing later', found('settled-changed')),
  clue(
    'effects-performed',
    8,
    'what was allowed and asked for was refused and never done',
    found('needless-refusal', 'lost-effect'),
    world('none'),
  ),
  clue(
    'receipt-true',
    8,
    'a receipt says what its journal denies, and nothing else is wrong',
    found('receipt-false'),
    ({ found: all }) => all.size === 1,
  ),
  clue(
    'stamp-compared',
    8,
    'an answer about another effect was believed',
    faulted('foreign-reply'),
    (condemned) => found('wrong-entity')(condemned) || found('phantom')(condemned),
  ),
  clue(
    'learnt-first',
    8,
    'an effect that is there was called absent or refused because nothing was allowed any more',
    found('silent-loss'),
    world('authority-'),
  ),
  clue(
    'own-effect-known',
    8,
    'its own effect was taken for a change of the facts',
    found('needless-ambiguity'),
    world('unrelated-change', 'premise-changed-and-back:value'),
  ),
  clue(
    'stable-key',
    7,
    'a decision that was asked for under a new id had a second effect',
    found('two-effects'),
    caller('fresh-id'),
  ),
  clue(
    'stable-key',
    7,
    'a stored failure was got round with another key',
    found('two-effects'),
    dedupes,
    faulted('stored-error'),
  ),
  clue(
    'stable-key',
    6,
    'the service dedupes, and a repeat had a second effect',
    found('two-effects'),
    dedupes,
    sameAsk,
    world('none'),
  ),
  clue(
    'claim-kept',
    7,
    'an attempt that got no answer was taken for one that was never made',
    found('guessed', 'two-effects'),
    not(killed('during_call')),
    not(faulted('none')),
  ),
  clue('nothing-guessed', 6, 'it settled what nothing proved', found('guessed')),
  clue(
    'nothing-guessed',
    5,
    'it said that something happened that nobody ever saw',
    found('phantom'),
    not(canBeAsked),
  ),
  clue(
    'no-blind-resend',
    7,
    'more requests left in one attempt than the attempt is',
    found('hidden-retry', 'two-effects'),
    not(faulted('stored-error')),
  ),
  clue(
    'no-blind-resend',
    5,
    'an attempt whose end was unknown was sent again',
    found('two-effects'),
    not(dedupes),
  ),
  clue(
    'asked-first',
    4,
    'the service could be asked, and was sent to again',
    found('two-effects'),
    canBeAsked,
    not(found('silent-loss')),
  ),
  clue(
    'absence-final',
    7,
    'what came into the lists a little later was called absent',
    found('silent-loss'),
    faulted('stale-read'),
  ),
  clue(
    'absence-final',
    7,
    'what was not on the pages it read was called absent',
    found('silent-loss'),
    faulted('paged'),
  ),
  clue(
    'absence-final',
    7,
    'an absence was believed while the request could still land',
    found('silent-loss'),
    canBeAsked,
    killed('during_call:later'),
  ),
  clue(
    'absence-final',
    6,
    'an absence was believed while the request could still land',
    found('silent-loss'),
    canBeAsked,
    faulted('late-apply', 'slow'),
  ),
  clue(
    'stamp-compared',
    6,
    'somebody else’s effect was taken for its own',
    found('phantom'),
    canBeAsked,
  ),
  clue('stamp-compared', 6, 'somebody else’s effect was named as its own', found('wrong-entity')),
  clue(
    'unknown-reconciled',
    6,
    'what was unknown after the crash stayed so',
    found('unknown-after-recovery'),
    saidWorking,
    canBeAsked,
  ),
  clue(
    'unknown-surfaced',
    6,
    'what can’t be known was handed to nobody',
    found('unknown-after-recovery'),
    saidWorking,
  ),
  clue(
    'unknown-reconciled',
    5,
    'what was unknown after the crash stayed so',
    found('unknown-after-recovery'),
    saidWorking,
  ),
  clue(
    'audit-kept',
    5,
    'it did not come back from the crash, or would not work on what it had recorded',
    found('unknown-after-recovery'),
    not(saidWorking),
    not(paused),
  ),
  clue(
    'evidence-decides',
    5,
    'a person was asked what the evidence had decided',
    found('needless-ambiguity'),
  ),
  clue(
    'recorded-first',
    4,
    'it had no record of an effect that is there',
    found('silent-loss'),
    killed('during_call', 'wire:'),
    ({ record }) => record.o1?.outcome?.attempts === 0,
  ),
  clue('effects-performed', 3, 'an effect that was owed never came', found('lost-effect')),
  clue('effects-performed', 3, 'it refused what nothing stood against', found('needless-refusal')),
];

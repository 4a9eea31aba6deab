/** What the caller's behaviour adds: to the first decision, to a second one, and to both under a cap. Pure. */
import { callerFacts } from './caller-table.ts';
import type { Scenario } from './cell.ts';
import {
  absent,
  type Claim,
  cannotMeet,
  type Ending,
  happened,
  isAbsent,
  refused,
  union,
} from './endings.ts';
import { cutOffAtFirst, learn, turnedDown } from './expect-first.ts';
import { looksAgain } from './expect-recovery.ts';
import { met, metIn, type Situation } from './situation.ts';

type Answered =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | { readonly kind: 'answered'; readonly endings: readonly Ending[] };

export function afterCaller(
  situation: Situation,
  recovered: readonly Ending[],
  scenario: Scenario,
  triedBefore: boolean,
): Answered {
  const fault = metIn('caller', scenario.fault);
  const { again, second, together } = callerFacts(scenario.caller);
  if (
    second === 'racing' &&
    met(situation.fault)?.lasts !== 'once' &&
    met(situation.fault) !== null
  ) {
    return cannotMeet('which of two racing requests gets through to a failing service is open');
  }
  if (second === 'racing' && met(situation.fault)?.definite === 'for-good') {
    return cannotMeet('a decision that was refused for good does not race with another');
  }
  if (fault !== null && second !== 'none') {
    return cannotMeet('which of two decisions the fault meets is not said');
  }
  if (second !== 'none' && met(situation.fault)?.lasts === 'sticky') {
    return cannotMeet('a second decision after answers that can’t be believed is not tried');
  }
  const certainlySends = again && situation.maySend && recovered.every(isAbsent);
  if (fault !== null && !certainlySends) {
    return cannotMeet(
      'the caller’s request need not be sent here, so no fault can be counted on to meet it',
    );
  }
  if (!again) return { kind: 'answered', endings: recovered };
  const lasting = met(situation.fault);
  const cutOff = lasting?.lasts === 'forever';
  const endings = recovered.flatMap((ending): readonly Ending[] => {
    if (!isAbsent(ending)) return looksAgain(situation, ending);
    if (!situation.maySend) return [refused];
    // A connection that never comes back leaves the next attempt where it left the last, and a stored
    // failure is replayed to whoever sends its key again.
    if (fault === null && cutOff) return cutOffAtFirst(situation);
    if (fault === null) {
      const replayed = lasting?.lasts === 'sticky' && situation.afterOutage === 'dedupes';
      return replayed ? learn(situation, situation.atFirst, lasting) : [happened];
    }
    if (cutOff && triedBefore && situation.atFirst === 'fence') {
      // Who takes a fence over reads it first; where that fails, it is known that nothing was sent.
      return [absent, { claim: 'U', effects: 0 }];
    }
    const learnt =
      fault.definite === 'no'
        ? learn(situation, situation.atFirst, fault).flatMap((next) => looksAgain(situation, next))
        : [turnedDown(fault)];
    // Once an attempt is proven absent, the next of several callers may send again.
    const maySendAgain = together && fault.lasts === 'once' && learnt.some(isAbsent);
    return maySendAgain ? [...learnt, happened] : learnt;
  });
  return { kind: 'answered', endings: union(endings, []) };
}

export function answersTo(scenario: Scenario, endings: readonly Ending[]): readonly Claim[] {
  switch (scenario.caller) {
    case 'changed-amount':
      return ['R'];
    case 'invented-reason':
      // It waits for a person, or is refused; nothing was sent.
      return ['U', 'R', 'A'];
    case 'gives-up':
      return [];
    default:
      return [...new Set(endings.map((ending) => ending.claim))];
  }
}

/** A second decision of its own: what stands against the first decision's facts does not stand against it. */
export function secondAfter(situation: Situation, scenario: Scenario): readonly Ending[] {
  if (callerFacts(scenario.caller).second !== 'after') return [];
  if (situation.ends === 'authority') return [refused];
  return met(situation.fault)?.lasts === 'forever' ? cutOffAtFirst(situation) : [happened];
}

/** Under a cap for one, whoever has an effect, or may have one, keeps the other out. */
export function racingFirst(
  answered: readonly Ending[],
  recovered: readonly Ending[],
): readonly Ending[] {
  return recovered.some(isAbsent) ? union(answered, [refused]) : answered;
}

export function racingSecond({ ends }: Situation, recovered: readonly Ending[]): readonly Ending[] {
  return recovered.some(isAbsent) && ends !== 'authority' ? [refused, happened] : [refused];
}

/** Exactly one goes out, unless the first may already have and nobody can know, or none may. */
export function boundByCap(recovered: readonly Ending[], { ends }: Situation) {
  const isKnown = recovered.every(({ claim }) => claim === 'H' || claim === 'A');
  return { least: isKnown && ends !== 'authority' ? 1 : 0, most: 1 };
}

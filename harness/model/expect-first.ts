/** Where the first incarnation leaves the effect, and what can be learnt of it. Pure. */
import { absent, cannotMeet, type Ending, happened, refused } from './endings.ts';
import type { FaultFacts, Landing } from './fault-table.ts';
import type { KillPoint } from './kill-points.ts';
import { type GuaranteeClass, metIn, type Situation } from './situation.ts';

export type First =
  | { readonly kind: 'cannot-meet'; readonly why: string }
  | { readonly kind: 'nothing-sent-nothing-recorded' }
  | { readonly kind: 'in-flight'; readonly sent: Sent }
  | { readonly kind: 'recorded'; readonly endings: readonly Ending[] }
  | { readonly kind: 'answered-perhaps-recorded' };

/** What became of one send, and what that does to every later look. */
export type Sent = Pick<FaultFacts, 'landing' | 'reached' | 'lasts'>;

export const undisturbed: Sent = { landing: 'now', reached: true, lasts: 'once' };

/** Where the first incarnation leaves the effect. */
export function firstIncarnation(situation: Situation, kill: KillPoint): First {
  const fault = metIn('first-send', situation.fault);
  const ended = kill === 'after_call_before_commit' || kill === 'after_commit_before_ack';
  if (fault !== null && !ended) {
    return cannotMeet('the process dies before its first call has ended, so no fault can meet it');
  }
  const inFlight = (landing: Landing, reached: boolean): First => ({
    kind: 'in-flight',
    sent: { landing, reached, lasts: 'once' },
  });
  switch (kill) {
    case 'before_wal':
      return { kind: 'nothing-sent-nothing-recorded' };
    case 'after_wal_before_call':
      return inFlight('never', false);
    case 'during_call:now':
      return inFlight('now', true);
    case 'during_call:later':
    case 'during_call:running':
      return inFlight('later', true);
    case 'during_call:never':
      return inFlight('never', true);
    case 'after_call_before_commit':
      return { kind: 'in-flight', sent: fault ?? undisturbed };
    case 'after_commit_before_ack':
      if (fault === null) return { kind: 'recorded', endings: [happened] };
      if (fault.definite !== 'no') return { kind: 'recorded', endings: [turnedDown(fault)] };
      // An indefinite answer makes the gate learn once, in the same process, before its last word.
      return { kind: 'recorded', endings: learn(situation, situation.atFirst, fault) };
    case 'wire:connection':
    case 'wire:first-byte':
      return inFlight('never', false);
    case 'wire:half-request':
    case 'wire:whole-request':
      // Half is given on by a wire that has the whole: the last byte was sent, and a mark of no return
      // was made before it.
      return inFlight('never', true);
    case 'wire:applied':
    case 'wire:first-reply-byte':
    case 'wire:half-reply':
      return inFlight('now', true);
    case 'wire:whole-reply':
      // The answer was handed over: the gate may have recorded it, and may not.
      return { kind: 'answered-perhaps-recorded' };
    default:
      return kill satisfies never;
  }
}

/** Where a definite refusal of the one attempt there was leaves a decision. */
export function turnedDown({ definite }: Pick<FaultFacts, 'definite'>): Ending {
  return definite === 'for-good' ? refused : absent;
}

/** What the recovery routine finds out about an attempt that is in flight. */
export function learn(situation: Situation, cls: GuaranteeClass, sent: Sent): readonly Ending[] {
  const { landing, reached, lasts } = sent;
  const unknown: Ending = { claim: 'U', effects: landing === 'never' ? 0 : 1 };
  // Before the mark of no return nothing can have landed, whatever the network does.
  if (cls === 'neither-marked') return reached ? [unknown] : [absent];
  if (lasts === 'forever') return [unknown];
  switch (cls) {
    case 'dedupes':
      // Sending the same key again is the look: it makes or finds the one effect. Where no answer to a
      // send can be believed any more, the service is asked, if it can be.
      return lasts === 'sticky'
        ? learn(situation, situation.withoutResend, { ...sent, lasts: 'once' })
        : [happened];
    case 'window-over':
    case 'neither':
      return [unknown];
    case 'fence':
      if (landing === 'never') return [absent];
      // The fence and the orphan race; whoever is first stops the other.
      return landing === 'now' ? [happened] : [absent, happened];
    case 'bound':
      return landing === 'never' ? [absent] : [happened];
    case 'unbounded':
      if (landing === 'never') return [unknown];
      return landing === 'now' ? [happened] : [happened, unknown];
    default:
      return cls satisfies never;
  }
}

/** The first attempt of a decision that no connection carries. */
export function cutOffAtFirst(situation: Situation): readonly Ending[] {
  return learn(situation, situation.atFirst, {
    ...undisturbed,
    landing: 'never',
    reached: false,
    lasts: 'forever',
  });
}

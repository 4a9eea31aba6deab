/** What recovery ends at, by which means, and which of its points and faults it comes to. Pure. */
import { absent, type Ending, happened, union } from './endings.ts';
import { type First, learn, type Sent, undisturbed } from './expect-first.ts';
import type { RecoveryPoint } from './kill-points.ts';
import { met, metIn, phaseOf, type Situation } from './situation.ts';

export interface Recovery {
  readonly endings: readonly Ending[];
  /** What recovery does to learn; nothing where there is nothing to learn. */
  readonly means: 'resend' | 'look' | 'neither' | 'nothing-to-learn';
}

export function afterRecovery(
  situation: Situation,
  first: Exclude<First, { kind: 'cannot-meet' }>,
): Recovery {
  switch (first.kind) {
    case 'nothing-sent-nothing-recorded':
      return { endings: [absent], means: 'nothing-to-learn' };
    case 'recorded':
      return {
        endings: union(
          first.endings,
          first.endings.flatMap((ending) => looksAgain(situation, ending)),
        ),
        means: 'nothing-to-learn',
      };
    case 'in-flight':
      return learnInRecovery(situation, first.sent);
    case 'answered-perhaps-recorded': {
      const unrecorded = learnInRecovery(situation, undisturbed);
      // Nothing can be counted on in a recovery that may have nothing to do.
      return { endings: union([happened], unrecorded.endings), means: 'nothing-to-learn' };
    }
    default:
      return first satisfies never;
  }
}

function learnInRecovery(situation: Situation, sent: Sent): Recovery {
  const cls = situation.inRecovery;
  if (cls === 'dedupes') {
    const resent = metIn('resend', situation.fault);
    if (resent === null || resent.lasts === 'once') {
      return { endings: learn(situation, cls, sent), means: 'resend' };
    }
    // Either of the two that landed is the one effect; the resend landed before anybody looks.
    const { landing } = resent.landing === 'never' ? sent : resent;
    return { endings: learn(situation, cls, { ...resent, landing }), means: 'resend' };
  }
  const looks = cls === 'fence' || cls === 'bound' || cls === 'unbounded';
  if (!looks) return { endings: learn(situation, cls, sent), means: 'neither' };
  const blinded = metIn('look', situation.fault)?.lasts === 'forever';
  return {
    endings: learn(situation, cls, blinded ? { ...sent, lasts: 'forever' } : sent),
    means: 'look',
  };
}

/** Why the fault or the kills meant for recovery can't meet it, or null. */
export function unmetInRecovery(
  situation: Situation,
  first: Exclude<First, { kind: 'cannot-meet' }>,
  recovery: Recovery,
  recoveryKills: readonly RecoveryPoint[],
): string | null {
  const phase = phaseOf(situation.fault);
  if (phase === 'resend' && recovery.means !== 'resend') {
    return 'recovery sends nothing here, so no fault can meet a resend';
  }
  if (phase === 'look') {
    if (recovery.means !== 'look') return 'recovery asks nothing here, so no fault can meet a look';
    if (
      first.kind === 'in-flight' &&
      first.sent.landing === 'later' &&
      met(situation.fault)?.lasts === 'forever'
    ) {
      return 'a request meant to land after the first look has none to wait for';
    }
  }
  const reached = recoveryPointsOf(situation, first, recovery);
  const missed = recoveryKills.find((point) => !reached.includes(point));
  return missed === undefined ? null : `recovery does not come to ${missed} here`;
}

function recoveryPointsOf(
  situation: Situation,
  first: Exclude<First, { kind: 'cannot-meet' }>,
  recovery: Recovery,
): readonly RecoveryPoint[] {
  switch (recovery.means) {
    case 'resend':
      return ['owned', 'before-resend', 'before-settle'];
    case 'look':
      return ['owned', 'before-lookup', 'after-lookup', 'before-settle'];
    case 'neither':
      // What died before its mark of no return is settled by taking it over.
      return situation.inRecovery === 'neither-marked' &&
        first.kind === 'in-flight' &&
        !first.sent.reached
        ? ['owned']
        : ['owned', 'before-settle'];
    case 'nothing-to-learn':
      return [];
    default:
      return recovery.means satisfies never;
  }
}

/** A later look of a target that can be asked finds what has landed by then. */
export function looksAgain(situation: Situation, ending: Ending): readonly Ending[] {
  const canLook = situation.inRecovery === 'unbounded' && met(situation.fault)?.lasts !== 'forever';
  return canLook && ending.claim === 'U' && ending.effects === 1 ? [happened] : [ending];
}

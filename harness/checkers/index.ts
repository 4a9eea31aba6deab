/**
 * The registry: every promise that is judged, in the order of the table of findings, and those that
 * are not judged yet, with the reason. A finding stands in exactly one of the two.
 */
import type { FindingName, MissName } from '../model/findings.ts';
import type { Checker } from './checker.ts';
import { controlMissed } from './control-missed.ts';
import { deadAuthority } from './dead-authority.ts';
import { evidenceCut } from './evidence-cut.ts';
import { faultMissed } from './fault-missed.ts';
import { guessed } from './guessed.ts';
import { hiddenRetry } from './hidden-retry.ts';
import { killMissed } from './kill-missed.ts';
import { lostEffect } from './lost-effect.ts';
import { needlessAmbiguity } from './needless-ambiguity.ts';
import { needlessRefusal } from './needless-refusal.ts';
import { overBudget } from './over-budget.ts';
import { overCap } from './over-cap.ts';
import { phantom } from './phantom.ts';
import { receiptFalse } from './receipt-false.ts';
import { sentBeforeRecorded } from './sent-before-recorded.ts';
import { sentUninvited } from './sent-uninvited.ts';
import { settledChanged } from './settled-changed.ts';
import { silentLoss } from './silent-loss.ts';
import { stalePremise } from './stale-premise.ts';
import { twoEffects } from './two-effects.ts';
import { unknownAfterRecovery } from './unknown-after-recovery.ts';
import { worldMissed } from './world-missed.ts';
import { wrongEntity } from './wrong-entity.ts';
import { wrongSubstance } from './wrong-substance.ts';

export const checkers: readonly Checker[] = [
  twoEffects,
  lostEffect,
  unknownAfterRecovery,
  needlessAmbiguity,
  needlessRefusal,
  guessed,
  silentLoss,
  phantom,
  wrongEntity,
  wrongSubstance,
  deadAuthority,
  stalePremise,
  overCap,
  sentBeforeRecorded,
  hiddenRetry,
  sentUninvited,
  overBudget,
  settledChanged,
  receiptFalse,
  killMissed,
  faultMissed,
  worldMissed,
  controlMissed,
  evidenceCut,
];

/** Promises without a checker, and why. */
export const notYet: Readonly<Partial<Record<FindingName | MissName, string>>> = {
  'sent-before-durable': 'only a power cut can show it, and no trial has one yet',
};

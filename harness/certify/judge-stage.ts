/**
 * What the trials of one declaration prove: that it is true, which parts of it are not, or nothing yet.
 * A certification is a list of such stages, each declaring less than the one before. Pure; running and
 * judging again both ask it.
 */
import { type Capability, capabilities, claimedBy } from '../../adapters/reduced-target.ts';
import type { TargetDeclaration } from '../../adapters/target.ts';
import type { TrialRecord } from '../model/results.ts';
import { situationOf } from '../model/situation.ts';
import { isTrial } from '../results/counts.ts';
import { cellOf } from '../results/read-cell.ts';
import type { Exercise } from './exercised.ts';

/** One record, and what its history shows besides. */
export interface StageTrial {
  readonly record: TrialRecord;
  readonly exercised: readonly Exercise[];
  /** Where premises were submitted and the target's own word on them was another than what had happened. */
  readonly premisesMisjudged: boolean;
}

export interface Stage {
  /** What is left out of what was declared first. */
  readonly without: readonly Capability[];
  readonly declaration: TargetDeclaration;
  readonly trials: readonly StageTrial[];
}

export type StageVerdict =
  | { readonly kind: 'holds' }
  | {
      readonly kind: 'reduce';
      readonly drop: readonly Capability[];
      readonly by: 'refuted' | 'not-exercised';
    }
  /** Nothing that could be left out explains it: not even what declares nothing is safe. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'inconclusive'; readonly why: string };

/** Without these the guarantee class would be another. */
export function classCritical(declaration: TargetDeclaration): readonly Capability[] {
  const claimed = claimedBy(declaration);
  const { dedupe, lookup } = declaration;
  return claimed.filter((capability) => {
    if (capability === 'premises') return false;
    return capability !== 'mark' || (dedupe === null && lookup === null);
  });
}

export function judgeStage(stage: Stage): StageVerdict {
  const { declaration, trials } = stage;
  const refuted = capabilities.filter((capability) => blamed(stage).has(capability));
  if (refuted.length > 0) return { kind: 'reduce', drop: refuted, by: 'refuted' };
  const critical = classCritical(declaration);
  if (trials.some(isRefutation)) {
    // Nothing in particular is to blame: whether anything at all is left is for the weakest to show.
    return critical.length === 0
      ? { kind: 'nothing' }
      : { kind: 'reduce', drop: critical, by: 'refuted' };
  }
  const unproven = trials.filter(({ record }) => isTrial(record) && record.verdict !== 'holds');
  if (unproven.length > 0 || !trials.some(({ record }) => record.verdict === 'holds')) {
    return { kind: 'inconclusive', why: whyInconclusive(unproven) };
  }
  const exercised = new Set(trials.flatMap((trial) => trial.exercised));
  const drop = critical.filter((capability) => !exercised.has(capability));
  return drop.length > 0 ? { kind: 'reduce', drop, by: 'not-exercised' } : { kind: 'holds' };
}

/** Whether the trial shows that the declaration is wrong. */
export function isRefutation({ record, premisesMisjudged }: StageTrial): boolean {
  return record.verdict === 'violated' || premisesMisjudged;
}

/** What recovery had to rely on in this trial; null where nothing that is declared. */
export function reliedOn(declaration: TargetDeclaration, trial: StageTrial): Capability | null {
  if (trial.premisesMisjudged || finds(trial, 'stale-premise')) return 'premises';
  const { inRecovery } = situationOf(declaration, cellOf(trial.record));
  switch (inRecovery) {
    case 'dedupes':
      return 'dedupe';
    case 'fence':
    case 'bound':
      return inRecovery;
    case 'unbounded':
      return 'lookup';
    case 'neither-marked':
      return 'mark';
    case 'window-over':
    case 'neither':
      return null;
    default:
      return inRecovery satisfies never;
  }
}

function blamed({ declaration, trials }: Stage): ReadonlySet<Capability> {
  const found = trials.filter(isRefutation).flatMap((trial): readonly Capability[] => {
    const capability = reliedOn(declaration, trial);
    return capability === null ? [] : [capability];
  });
  return new Set(found);
}

function finds({ record }: StageTrial, name: string): boolean {
  return record.findings.some(({ finding }) => finding === name);
}

function whyInconclusive(unproven: readonly StageTrial[]): string {
  const [first] = unproven;
  if (first === undefined) return 'not one trial was run';
  const { record } = first;
  const why = record.findings[0]?.message ?? record.reason ?? 'it was not run';
  return `${unproven.length} of the trials proved nothing, the first ${record.id}: ${why}`;
}

/** What comes after these stages. */
export type NextStep =
  | { readonly kind: 'run'; readonly without: readonly Capability[] }
  | { readonly kind: 'proven'; readonly stage: Stage }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'inconclusive'; readonly why: string };

export function nextStep(stages: readonly Stage[]): NextStep {
  const last = stages.at(-1);
  if (last === undefined) return { kind: 'run', without: [] };
  const verdict = judgeStage(last);
  switch (verdict.kind) {
    case 'holds':
      return { kind: 'proven', stage: last };
    case 'reduce': {
      const dropped = [...last.without, ...verdict.drop];
      return { kind: 'run', without: capabilities.filter((name) => dropped.includes(name)) };
    }
    default:
      return verdict;
  }
}

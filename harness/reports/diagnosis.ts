/** What a gate turned out to be, in words: whether it holds, and which rules it lacks. Pure. */
import type { findingMeanings } from '../model/findings.ts';
import type { Results } from '../model/results.ts';
import { type RuleName, ruleMeanings } from '../model/rules.ts';
import { isConclusive, isTrial } from '../results/counts.ts';
import { counted, rerunOfId } from './rerun.ts';

/** One rule that seems to be missing, as the diagnosis has it. */
export interface MissingRule {
  readonly rule: RuleName;
  readonly because: string;
  readonly trials: readonly string[];
  readonly findings: readonly (keyof typeof findingMeanings)[];
}

/** Rules beyond these are named without a trial: they mostly follow from the first. */
const toldAtMost = 5;

export interface DiagnosisInput {
  readonly results: Results;
  readonly rules: readonly MissingRule[];
  /** Points it can't be killed at, with what stands there for them. */
  readonly unplaced: readonly string[];
}

export function renderDiagnosis({ results, rules, unplaced }: DiagnosisInput): string {
  const trials = results.trials.filter(isTrial);
  const holds = trials.filter(({ verdict }) => verdict === 'holds').length;
  const violated = trials.filter(({ verdict }) => verdict === 'violated').length;
  const unproven = trials.filter((trial) => !isConclusive(trial)).length;
  const names = results.gates.map(({ name }) => name).join(', ');
  const targets = results.targets.map(({ name }) => name).join(', ');
  const lines = [
    `${names} against ${targets}: ${holds} of ${counted(trials.length, 'trial')} hold, ${violated} condemned${unproven === 0 ? '' : `, ${unproven} proved nothing`}`,
    ...(unplaced.length === 0 ? [] : [`Not killed at: ${unplaced.join('; ')}`]),
  ];
  if (violated === 0) {
    lines.push(
      unproven === 0 && holds > 0
        ? 'No promise was broken.'
        : 'No promise was seen to break, and not everything was shown.',
    );
  } else if (rules.length === 0) {
    lines.push('No rule of the design explains what was found; the trials are in the tables.');
  } else {
    lines.push('Rules it lacks, by the pattern of what was found, the surest first:');
    lines.push(...rules.slice(0, toldAtMost).flatMap((rule, index) => tell(rule, index, results)));
    const others = rules.slice(toldAtMost).map(({ rule }) => rule);
    if (others.length > 0) lines.push(`  perhaps also: ${others.join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}

function tell(missing: MissingRule, index: number, results: Results): readonly string[] {
  const { rule, because, trials, findings } = missing;
  const [example] = trials;
  return [
    `  ${index + 1}. ${rule}: ${ruleMeanings[rule]}`,
    `     because ${because} (${counted(trials.length, 'trial')}: ${findings.join(', ')})`,
    ...(example === undefined ? [] : [`     see one: ${rerunOfId(example, results)}`]),
  ];
}

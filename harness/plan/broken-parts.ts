/**
 * Everything that was broken on purpose, in one list: what was removed, which promise must be seen to
 * break, and the cells that show it.
 */
import { brokenTargets } from '../../adapters/broken/declared.ts';
import { brokenGates } from '../../gate/broken/declared.ts';
import type { Condemnation } from '../model/condemned.ts';
import { type FindingName, findingNames } from '../model/findings.ts';
import { type RuleName, ruleNames } from '../model/rules.ts';
import { knownName } from './known-name.ts';

export interface BrokenPart {
  readonly kind: 'gate' | 'target';
  readonly name: string;
  /** What it does, in one line for people. */
  readonly about: string;
  /** The rule of a sound gate that was removed; null for a target. */
  readonly lacks: RuleName | null;
  /** The promise that must be seen to break. */
  readonly finding: FindingName;
  /** Whole cells, with all that must be found in each. */
  readonly cells: readonly Condemnation[];
}

/** The gate that broken targets are shown to, and the cells of the broken gate whose findings are derived. */
const sound = 'reference';

/** Throws where a table names a rule or a finding that nobody knows. */
export function brokenParts(): readonly BrokenPart[] {
  return [...gateParts(), ownerByTimeout, ...targetParts()];
}

function gateParts(): readonly BrokenPart[] {
  return brokenGates.map(({ name, about, lacks, finding, cells }) => ({
    kind: 'gate',
    name,
    about,
    lacks: knownName(ruleNames, lacks, `the rule that ${name} lacks`),
    finding: findingOf(name, finding),
    cells: cells.map(({ cell, findings }) => condemnation(`${name}/${cell}`, name, findings)),
  }));
}

function targetParts(): readonly BrokenPart[] {
  return brokenTargets.map(({ name, about, finding, cells }) => ({
    kind: 'target',
    name,
    about,
    lacks: null,
    finding: findingOf(name, finding),
    cells: cells.map(({ cell, findings }) =>
      condemnation(`${sound}/${name}/${cell}`, name, findings),
    ),
  }));
}

/** What is found against it in any cell is derived, so that it stands in the matrices as well. */
const ownerByTimeout: BrokenPart = {
  kind: 'gate',
  name: 'owner-by-timeout',
  about: 'owns by a lease that runs out, and goes on after it has',
  lacks: 'owner-proven-dead',
  finding: 'two-effects',
  cells: [
    {
      cell: 'owner-by-timeout/stripe.lookup/after_wal_before_call+paused/none/none/same-again',
      findings: ['two-effects', 'unknown-after-recovery', 'guessed', 'sent-uninvited'],
    },
  ],
};

function condemnation(cell: string, name: string, findings: readonly string[]): Condemnation {
  return { cell, findings: findings.map((finding) => findingOf(name, finding)) };
}

function findingOf(name: string, finding: string): FindingName {
  return knownName(findingNames, finding, `a finding against ${name}`);
}

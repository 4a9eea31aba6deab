/**
 * The targets of `adapters/broken/`, as entries of the catalogue: each a sound one with one rule removed.
 * Throws where a declaration names what nobody knows.
 */
import { type BrokenTarget, brokenTargets } from '../../adapters/broken/declared.ts';
import type { Condemnation } from '../model/condemned.ts';
import { type FindingName, findingNames } from '../model/findings.ts';
import type { Replacements, TargetEntry } from './catalogue-entry.ts';
import { knownName } from './known-name.ts';

/** The gate that the cells of a broken target are declared for: what it finds is the target's doing. */
const shownTo = 'reference';

export interface BrokenTargetsInput {
  /** As for the built-in catalogue. */
  readonly root: string;
  readonly extension: '.ts' | '.js';
  /** What they are made from. */
  readonly sound: readonly TargetEntry[];
}

export function brokenTargetEntries(input: BrokenTargetsInput): readonly TargetEntry[] {
  return brokenTargets.map((broken) => {
    const { target, rail } = soundOf(broken, input.sound);
    return {
      name: broken.name,
      about: broken.about,
      condemned: condemnationsOf(broken),
      target: {
        ...target,
        options: { ...target.options, ...broken.options?.target },
        ...(broken.replaces !== undefined && { replaces: replacementsOf(broken.replaces, input) }),
      },
      rail: { ...rail, options: { ...rail.options, ...broken.options?.rail } },
    };
  });
}

function soundOf({ name, over }: BrokenTarget, sound: readonly TargetEntry[]): TargetEntry {
  const found = sound.find((entry) => entry.name === over);
  if (found !== undefined) return found;
  throw new Error(
    `the target ${name} is made from: expected one of ${sound.map((entry) => entry.name).join(', ')}, got ${over}`,
  );
}

function replacementsOf(
  replaces: Replacements,
  { root, extension }: BrokenTargetsInput,
): Replacements {
  const at = (path: string) => `${root}/adapters/${path}${extension}`;
  return Object.fromEntries(
    Object.entries(replaces).map(([original, standsIn]) => [
      at(original),
      at(`broken/${standsIn}`),
    ]),
  );
}

function condemnationsOf({ name, cells }: BrokenTarget): readonly Condemnation[] {
  return cells.map(({ cell, findings }) => ({
    cell: `${shownTo}/${name}/${cell}`,
    findings: findings.map(
      (finding): FindingName => knownName(findingNames, finding, `a finding against ${name}`),
    ),
  }));
}

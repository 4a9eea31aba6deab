/**
 * What was broken on purpose, as entries of the catalogue: the gates of `gate/broken/`, each the
 * reference gate with one rule removed. Throws where a declaration names what nobody knows.
 */
import type { BrokenGate } from '../../gate/broken/declaration.ts';
import { brokenGates } from '../../gate/broken/declared.ts';
import type { Condemnation } from '../model/condemned.ts';
import { type FindingName, findingNames } from '../model/findings.ts';
import { type RuleName, ruleNames } from '../model/rules.ts';
import type { GateEntry } from './catalogue-entry.ts';
import { knownName } from './known-name.ts';

/** `root` and `extension` as for the built-in catalogue. */
export function brokenGateEntries(root: string, extension: '.ts' | '.js'): readonly GateEntry[] {
  const at = (path: string) => `${root}/gate/${path}${extension}`;
  return brokenGates.map((broken) => ({
    name: broken.name,
    about: broken.about,
    lacks: [ruleOf(broken)],
    condemned: condemnationsOf(broken),
    run: runOf(broken, at),
  }));
}

/** Without a module that is replaced it is a subject of its own. */
function runOf({ name, replaces }: BrokenGate, at: (path: string) => string): GateEntry['run'] {
  if (replaces === undefined) return { kind: 'module', module: at(`broken/${name}`) };
  return {
    kind: 'module',
    module: at('reference/main'),
    replaces: Object.fromEntries(
      Object.entries(replaces).map(([original, standsIn]) => [
        at(`reference/${original}`),
        at(`broken/${standsIn}`),
      ]),
    ),
  };
}

function ruleOf({ name, lacks }: BrokenGate): RuleName {
  return knownName(ruleNames, lacks, `the rule that ${name} lacks`);
}

function condemnationsOf({ name, cells }: BrokenGate): readonly Condemnation[] {
  return cells.map(({ cell, findings }) => ({
    cell: `${name}/${cell}`,
    findings: findings.map(
      (finding): FindingName => knownName(findingNames, finding, `a finding against ${name}`),
    ),
  }));
}

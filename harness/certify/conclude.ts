/** From stages and their histories to what a certificate says. Pure, so that judging concludes the same. */

import { claimedBy } from '../../adapters/reduced-target.ts';
import type { TargetDeclaration } from '../../adapters/target.ts';
import { formatCellId, formatFault, formatKill } from '../model/cell.ts';
import type { Conclusion } from '../model/certificate.ts';
import { findingNames } from '../model/findings.ts';
import type { History } from '../model/history.ts';
import { compareKills, glossKill } from '../model/kill-gloss.ts';
import type { TrialRecord } from '../model/results.ts';
import { formatDemandedPair, formatReachedPair } from '../reports/reached.ts';
import { tally } from '../reports/tabulate.ts';
import { cellOf } from '../results/read-cell.ts';
import { beyondRailReason } from './beyond-rail.ts';
import { describeClass } from './describe-class.ts';
import type { Exercise } from './exercised.ts';
import { explainRefutation } from './explain-refutation.ts';
import {
  classCritical,
  isRefutation,
  judgeStage,
  nextStep,
  reliedOn,
  type Stage,
  type StageTrial,
} from './judge-stage.ts';

export interface Evidence {
  readonly stages: readonly [Stage, ...Stage[]];
  /** The target's file, as people call it. */
  readonly file: string;
  /** The history of the trial that is to be explained; null where it can't be read. */
  readonly historyOf: (id: string) => History | null;
}

/** The trial that shows best what is wrong; null where none does. */
export function mostTelling(stage: Stage): StageTrial | null {
  const [first] = stage.trials.filter(isRefutation).toSorted((left, right) => {
    return weight(left.record) - weight(right.record);
  });
  return first ?? null;
}

export function conclude(evidence: Evidence): Conclusion {
  const { stages } = evidence;
  const [asDeclared] = stages;
  const last = stages.at(-1) ?? asDeclared;
  const next = nextStep(stages);
  const proven = provenBy(next);
  const difference = differenceOf(evidence);
  return {
    declared: claimOf(asDeclared.declaration),
    proven,
    standing:
      difference !== null
        ? 'less'
        : proven.kind === 'undetermined'
          ? 'undetermined'
          : 'as-declared',
    capabilities: [...capabilityStandings(asDeclared, last)],
    difference,
    surfaced: [...surfacedIn(next.kind === 'proven' ? next.stage : asDeclared)],
    notExercised: [...notExercisedIn(asDeclared)],
  };
}

function claimOf(declaration: TargetDeclaration): Conclusion['declared'] {
  return { class: describeClass(declaration), declaration };
}

function provenBy(next: ReturnType<typeof nextStep>): Conclusion['proven'] {
  switch (next.kind) {
    case 'proven':
      return { kind: 'class', ...claimOf(next.stage.declaration) };
    case 'nothing':
      return { kind: 'nothing' };
    case 'inconclusive':
      return { kind: 'undetermined', why: next.why };
    case 'run':
      return {
        kind: 'undetermined',
        why: 'what is left of the declaration was not tried any more',
      };
    default:
      return next satisfies never;
  }
}

function differenceOf({ stages, file, historyOf }: Evidence): Conclusion['difference'] {
  const [asDeclared] = stages;
  const trial = mostTelling(asDeclared);
  if (trial !== null) {
    const { record, premisesMisjudged } = trial;
    const history = historyOf(record.id);
    const why =
      history === null
        ? `${file}: ${record.findings[0]?.message ?? 'a cell does not hold'}`
        : explainRefutation({
            file,
            record,
            history,
            premisesMisjudged,
            reliedOn: reliedOn(asDeclared.declaration, trial),
          });
    return { why, shownBy: shownBy(record) };
  }
  const verdict = judgeStage(asDeclared);
  if (verdict.kind !== 'reduce') return null;
  const [names, was] = [verdict.drop.join(' and '), verdict.drop.length === 1 ? 'was' : 'were'];
  return {
    why: `${file}: ${names} ${was} declared, and no trial could exercise it`,
    shownBy: null,
  };
}

function shownBy(record: TrialRecord): NonNullable<Conclusion['difference']>['shownBy'] {
  const { o2 } = record;
  return {
    trial: record.id,
    cell: formatCellId(cellOf(record)),
    demanded: formatDemandedPair(record),
    reached: formatReachedPair(record),
    effects: o2?.effects ?? null,
    outcome:
      o2?.outcome === null || o2 === null
        ? null
        : `${o2.outcome.outcome}, ${o2.outcome.disposition}`,
    findings: record.findings.map(({ finding, message }) => `${finding}: ${message}`),
  };
}

const order: readonly string[] = findingNames;

/** The worst finding first, and of those the plainest cell. */
function weight(record: TrialRecord): number {
  const { fault, world, caller } = cellOf(record);
  const places = record.findings.map(({ finding }) => order.indexOf(finding));
  const worst = Math.min(order.length, ...places.filter((place) => place >= 0));
  const turns = [fault.fault !== 'none', world !== 'none', caller !== 'same-again'];
  return worst * 10 + turns.filter(Boolean).length;
}

function capabilityStandings(asDeclared: Stage, last: Stage): Conclusion['capabilities'] {
  const { declaration, trials } = asDeclared;
  const refuted = new Set(trials.filter(isRefutation).map((trial) => reliedOn(declaration, trial)));
  const relied: readonly Exercise[] = [
    ...claimedBy(declaration).filter(
      (name) => name === 'premises' || classCritical(declaration).includes(name),
    ),
    ...(hasWindow(declaration) ? (['window'] as const) : []),
  ];
  return relied.map((name) => {
    const count = trials.filter(({ exercised }) => exercised.includes(name)).length;
    const isRefuted =
      name === 'window'
        ? trials.some(
            (trial) => isRefutation(trial) && cellOf(trial.record).world === 'outage-in-window',
          )
        : refuted.has(name) || wasDropped(name, last, count);
    return {
      name,
      standing: isRefuted ? 'refuted' : count > 0 ? 'held' : 'not-exercised',
      trials: count,
    };
  });
}

/** Exercised, and left out in a later stage all the same: something weaker refuted it there. */
function wasDropped(name: Exercise, last: Stage, count: number): boolean {
  return count > 0 && last.without.some((dropped) => dropped === name);
}

function hasWindow({ dedupe }: TargetDeclaration): boolean {
  return dedupe !== null && dedupe.windowMs !== 'forever';
}

/** What a person is asked for where even a sound gate can't know. */
const asks: Readonly<Record<'one' | 'none' | 'either', string>> = {
  one: 'the effect is there: look at the service, and resolve the intent as happened',
  none: 'there is no effect: look at the service, and resolve the intent as absent; the caller may then ask again',
  either:
    'look at the service whether the effect is there, and resolve the intent as happened or absent',
};

function surfacedIn({ trials }: Stage): Conclusion['surfaced'] {
  const groups = new Map<string, TrialRecord[]>();
  for (const { record } of trials) {
    if (record.demandedO2?.includes('U') !== true) continue;
    const kill = formatKill(cellOf(record));
    groups.set(kill, [...(groups.get(kill) ?? []), record]);
  }
  return [...groups.values()]
    .toSorted(([left], [right]) =>
      left === undefined || right === undefined ? 0 : compareKills(cellOf(left), cellOf(right)),
    )
    .flatMap((records) => {
      const [first] = records;
      if (first === undefined) return [];
      const cell = cellOf(first);
      return [
        {
          kill: formatKill(cell),
          gloss: glossKill(cell),
          cells: new Set(records.map((record) => formatCellId(cellOf(record)))).size,
          when: [...whatBrings(records)],
          asks: asks[whatIsThere(records)],
        },
      ];
    });
}

/** Empty where the kill alone is enough. */
function whatBrings(records: readonly TrialRecord[]): readonly string[] {
  const cells = records.map(cellOf);
  const plain = cells.some(({ fault, world }) => fault.fault === 'none' && world === 'none');
  if (plain) return [];
  const causes = cells.flatMap(({ fault, world }) => [formatFault(fault), world]);
  return [...new Set(causes)].filter((cause) => cause !== 'none');
}

function whatIsThere(records: readonly TrialRecord[]): keyof typeof asks {
  const effects = new Set(
    records.flatMap(({ demandedO2 }) => (demandedO2 ?? '').match(/(?<=U)\d/g) ?? []),
  );
  if (effects.size > 1) return 'either';
  return effects.has('1') ? 'one' : 'none';
}

function notExercisedIn({ declaration, trials }: Stage): Conclusion['notExercised'] {
  const reasons = trials.flatMap(({ record }) => beyondRailReason(record, declaration) ?? []);
  return tally(reasons).map(([reason, cells]) => ({ reason, cells }));
}

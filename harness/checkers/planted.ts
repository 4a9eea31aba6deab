/**
 * Sound histories that every checker must clear, and planted ones that break one promise each by a
 * minimal change of a sound one. Data: the tests, and the table of findings, judge them anew.
 */
import { allArmedFaults, callerBehaviours } from '../model/cell.ts';
import { expectScenario } from '../model/expectation.ts';
import type { FindingName, MissName } from '../model/findings.ts';
import type { History } from '../model/history.ts';
import { killPointNames } from '../model/kill-points.ts';
import type { TrialSpec } from '../model/trial.ts';
import { type Plot, plantedDeclarations, plantSound, type Tier, toHistory } from './plant.ts';
import { plantedClaims } from './planted-claims.ts';
import { plantedMisses } from './planted-misses.ts';
import { plantedSends } from './planted-sends.ts';
import { plantedStandings } from './planted-standings.ts';

export interface PlantedHistory {
  readonly finding: FindingName | MissName;
  /** One line: what was changed in a sound history. */
  readonly title: string;
  /** Findings that necessarily come along. */
  readonly alongside: readonly (FindingName | MissName)[];
  readonly spec: TrialSpec;
  readonly history: History;
}

export interface SoundHistory {
  readonly title: string;
  readonly spec: TrialSpec;
  readonly history: History;
}

const tiers: readonly Tier[] = ['keyed', 'blind'];

/** The faults whose course on the wire `plant-wire.ts` can tell. */
const toldFaults = allArmedFaults.filter(
  ({ fault }) =>
    fault === 'none' ||
    [
      'request-lost',
      'reply-lost',
      'error-before-apply',
      'error-after-apply',
      'late-apply',
      'partition',
    ].includes(fault),
);

const plots: readonly Plot[] = tiers.flatMap((tier) =>
  killPointNames.flatMap((kill) =>
    toldFaults.flatMap((fault) =>
      callerBehaviours.flatMap((caller): Plot[] => {
        const plot = { tier, kill, recoveryKills: [], fault, caller, world: 'none' } as const;
        if (expectScenario(plantedDeclarations[tier], plot).kind === 'cannot-meet') return [];
        return caller === 'storm' ? [plot, { ...plot, overlaps: true }] : [plot];
      }),
    ),
  ),
);

/**
 * Beside the grid: a recovery that is killed too, a world that changes during the outage, a first that is
 * only paused, and a recovery that is met by another.
 */
const furtherPlots: readonly Plot[] = [
  { tier: 'keyed', kill: 'after_wal_before_call', recoveryKills: ['owned'] },
  { tier: 'keyed', kill: 'before_wal', world: 'long-outage' },
  { tier: 'keyed', kill: 'after_commit_before_ack', world: 'long-outage' },
  ...tiers.flatMap((tier): Plot[] => [
    { tier, kill: 'before_wal', paused: true },
    { tier, kill: 'after_wal_before_call', paused: true },
    { tier, kill: 'after_call_before_commit', paused: true },
    { tier, kill: 'after_commit_before_ack', paused: true },
    { tier, kill: 'after_wal_before_call', rivalAt: 'owned' },
    { tier, kill: 'during_call:now', rivalAt: 'owned' },
    { tier, kill: 'during_call:now', recoveryKills: ['owned'], rivalAt: 'owned' },
  ]),
];

/** Every cell a keyed or a blind target can meet, each storm both after and during recovery. */
export const soundHistories: readonly SoundHistory[] = [...plots, ...furtherPlots].map((plot) => {
  const trial = plantSound(plot);
  const title = `${trial.spec.id}${plot.overlaps ? ', overlapping recovery' : ''}`;
  return { title, spec: trial.spec, history: toHistory(trial) };
});

export const plantedHistories: readonly PlantedHistory[] = [
  ...plantedClaims,
  ...plantedSends,
  ...plantedMisses,
  ...plantedStandings,
].map(({ finding, title, alongside, trial, complete }): PlantedHistory => {
  const history = toHistory(trial);
  return {
    finding,
    title,
    alongside: alongside ?? [],
    spec: trial.spec,
    history: complete === false ? { ...history, complete, gap: 'planted: no footer' } : history,
  };
});

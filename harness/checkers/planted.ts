/**
 * Sound histories that every checker must clear, and planted ones that break one promise each by a
 * minimal change of a sound one. Data: the tests, and the table of findings, judge them anew.
 */
import type { FindingName, MissName } from '../model/findings.ts';
import type { History } from '../model/history.ts';
import type { TrialSpec } from '../model/trial.ts';
import { plantSound, toHistory } from './plant.ts';
import { furtherPlots, grid } from './plant-plots.ts';
import { plantedCallers } from './planted-callers.ts';
import { plantedClaims } from './planted-claims.ts';
import { plantedMisses } from './planted-misses.ts';
import { plantedSends } from './planted-sends.ts';
import { plantedStandings } from './planted-standings.ts';
import { plantedWorlds } from './planted-worlds.ts';

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

/** Cells a keyed or a blind target can meet, each storm both after and during recovery. */
export const soundHistories: readonly SoundHistory[] = [...grid, ...furtherPlots].map((plot) => {
  const trial = plantSound(plot);
  const overlaps = plot.overlaps ? ', overlapping recovery' : '';
  const secondWins = plot.secondWins ? ', the second gets through' : '';
  const title = `${trial.spec.id}${overlaps}${secondWins}`;
  return { title, spec: trial.spec, history: toHistory(trial) };
});

export const plantedHistories: readonly PlantedHistory[] = [
  ...plantedClaims,
  ...plantedSends,
  ...plantedMisses,
  ...plantedStandings,
  ...plantedCallers,
  ...plantedWorlds,
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

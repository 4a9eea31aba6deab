/** What a run's results mean to the shell that started it. 70 and 64 are thrown, not counted. */
import { exitCodes } from '../model/errors.ts';
import type { Results } from '../model/results.ts';
import { isConclusive, isTrial } from './counts.ts';

export type ResultsExitCode = 0 | 1 | 2;

/** Precedence 1, 2, 0: a broken promise is reported even when other trials proved nothing. */
export function exitCodeOf(
  results: Pick<Results, 'trials' | 'blindSpots' | 'finished'>,
): ResultsExitCode {
  const trials = results.trials.filter(isTrial);
  const unmet = trials.some((trial) => isConclusive(trial) && trial.meetsExpectation !== true);
  if (unmet) return exitCodes.unmet;
  const allProved = trials.length > 0 && trials.every(isConclusive);
  const sawEverything = results.finished && results.blindSpots.length === 0;
  return allProved && sawEverything ? exitCodes.met : exitCodes.inconclusive;
}

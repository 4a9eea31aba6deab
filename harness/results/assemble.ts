/** Results from what was run, and from what is about to run. */
import type { Results, TrialRecord } from '../model/results.ts';
import { findBlindSpots } from './blind-spots.ts';
import { countRecords } from './counts.ts';

/** What stands in the results besides the trials. */
export interface RunFacts {
  readonly version: string;
  readonly environment: Results['environment'];
  readonly matrix: string;
  readonly plan: Results['plan'];
  readonly gates: Results['gates'];
  readonly targets: Results['targets'];
  readonly command: string;
  readonly seed: number;
  readonly workers: number;
}

export interface RunEnd {
  readonly records: readonly TrialRecord[];
  readonly startedAt: string;
  readonly durationMs: number;
  /** False when the run was interrupted, bailed out, or has only begun. */
  readonly finished: boolean;
  /** MiB of the harness, where somebody measured it. */
  readonly memory?: Results['memory'];
}

export function assembleResults(facts: RunFacts, end: RunEnd): Results {
  return {
    format: 1,
    tool: { name: 'killpoint', version: facts.version },
    environment: facts.environment,
    matrix: facts.matrix,
    plan: facts.plan,
    gates: facts.gates,
    targets: facts.targets,
    command: facts.command,
    seed: facts.seed,
    workers: facts.workers,
    startedAt: end.startedAt,
    durationMs: Math.round(end.durationMs),
    finished: end.finished,
    memory: end.memory ?? null,
    blindSpots: [...findBlindSpots(end.records, facts.gates)],
    counts: countRecords(end.records),
    trials: [...end.records],
  };
}
